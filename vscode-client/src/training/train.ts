// Training from the editor: what there is to learn from is counted first, then chosen, and only then
// what training needs is downloaded.

import * as vscode from "vscode";

import type { Launcher } from "../launcher";
import { type HistoryCount, ServerCommand, type SourceCount } from "../protocol";
import type { Server } from "../server";
import { describe, isEnough, leftOut, tooLittle } from "./sources";

interface Item extends vscode.QuickPickItem {
  source: SourceCount;
}

/**
 * Trains on what the user chooses. The server shows the progress, and says at the end what came of it;
 * it refuses to train in a folder that is not trusted, for which nothing is to be installed either.
 */
export async function train(server: Server, launcher: Launcher): Promise<void> {
  if (!(await server.isRunningTo("train"))) {
    return;
  }
  if (!vscode.workspace.isTrusted) {
    await server.execute(ServerCommand.train);
    return;
  }
  const count = await counting(server);
  if (!count) {
    return; // the server has said why
  }
  if (!isEnough(count.sources, count.needed)) {
    void vscode.window.showInformationMessage(tooLittle(count));
    return;
  }
  const without = await choose(count);
  try {
    if (without !== undefined && (await launcher.prepareTraining())) {
      await server.execute(ServerCommand.train, without);
    }
  } catch (error) {
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}

function counting(server: Server): Thenable<HistoryCount | null | undefined> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title: "Editcast: counting your history" }, () =>
    server.execute(ServerCommand.countHistory).then((count) => count as HistoryCount | null | undefined),
  );
}

/** The kinds of sources to leave out, or undefined: the user would rather not train. */
async function choose({ sources, needed }: HistoryCount): Promise<string[] | undefined> {
  const items = sources.map((source): Item => ({ label: source.name, description: describe(source), picked: true, source }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: "Train Editcast on",
    placeHolder: "Unchecked sources are not read. The newest tenth is used to test the new model.",
    canPickMany: true,
    ignoreFocusOut: true,
  });
  if (chosen === undefined || chosen.length === 0) {
    return undefined;
  }
  const kept = chosen.map(({ source }) => source);
  if (!isEnough(kept, needed)) {
    void vscode.window.showInformationMessage(tooLittle({ sources: kept, needed }));
    return undefined;
  }
  return leftOut(sources, kept);
}
