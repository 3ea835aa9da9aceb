// The first steps: a sample in which the first suggestion comes at once, and the steps that the
// walkthrough and the palette share.

import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";

const WALKTHROUGH = "editcast.editcast#start";
/** Key of the extension's own state: the user has been told that Editcast is ready. */
const WELCOMED = "editcast.welcomed";
/** The name in the sample that the user types another one over. */
const NAME = "price";

/**
 * Opens the walkthrough of the extension.
 *
 * @param isInstalled whether its first step is done: VS Code checks a step off when a condition becomes true
 *   for the first time, and not if that was before the walkthrough was opened, hence one of its own
 */
export async function openWalkthrough(isInstalled: boolean): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH, false);
  await vscode.commands.executeCommand("setContext", "editcast.installed", isInstalled);
}

/** Opens a fresh copy of the sample beside nothing else, with the parameter's name selected. */
export async function tryIt(context: vscode.ExtensionContext): Promise<void> {
  const folder = join(context.globalStorageUri.fsPath, "sample");
  await mkdir(folder, { recursive: true });
  const file = join(folder, "sample.py");
  await copyFile(join(context.extensionPath, "walkthrough", "sample.py"), file);
  const document = await vscode.workspace.openTextDocument(file);
  await vscode.window.showTextDocument(document, { preview: false });
  // One that is open already may have the text of the last time, saved or not.
  await vscode.commands.executeCommand("workbench.action.files.revert");
  const start = document.positionAt(document.getText().indexOf(`${NAME},`));
  const selection = new vscode.Range(start, start.translate(0, NAME.length));
  await vscode.window.showTextDocument(document, { selection, preview: false });
}

/** Shows what is kept on this machine, and where. */
export async function showPrivacy(context: vscode.ExtensionContext): Promise<void> {
  const page = vscode.Uri.joinPath(context.extensionUri, "walkthrough", "privacy.md");
  await vscode.commands.executeCommand("markdown.showPreview", page);
}

/** Says once that all is ready, after an installation that the user asked for. */
export async function welcome(context: vscode.ExtensionContext): Promise<void> {
  if (context.globalState.get<boolean>(WELCOMED, false)) {
    return;
  }
  await context.globalState.update(WELCOMED, true);
  const choice = await vscode.window.showInformationMessage("Editcast is ready.", "Try It", "First Steps");
  if (choice === "Try It") {
    await tryIt(context);
  } else if (choice === "First Steps") {
    await openWalkthrough(true);
  }
}
