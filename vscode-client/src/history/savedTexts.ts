// The texts that saves left, as read-only documents that can be compared.

import { basename } from "node:path";
import * as vscode from "vscode";

import { type RememberedFile, type RememberedSave, ServerCommand } from "../protocol";
import type { Server } from "../server";
import { saveName } from "./remembered";

const SCHEME = "editcast-save";

export class SavedTexts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  constructor(private readonly server: Server) {}

  /** The text of a save; empty for the one before the first, and where it is forgotten. */
  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { path, number } = JSON.parse(uri.query) as { path: string; number: number };
    const text = await this.server.execute(ServerCommand.savedText, path, number);
    return typeof text === "string" ? text : "";
  }

  /** Shows what a save changed. */
  async compare({ path }: RememberedFile, save: RememberedSave): Promise<void> {
    const title = `${basename(path)}: ${saveName(save)}`;
    await vscode.commands.executeCommand("vscode.diff", uriOf(path, save.number - 1), uriOf(path, save.number), title);
  }

  /** Shows what has become of a file since a save. */
  async compareWithFile({ path }: RememberedFile, save: RememberedSave): Promise<void> {
    const title = `${basename(path)}: ${saveName(save)}, and the current file`;
    await vscode.commands.executeCommand("vscode.diff", uriOf(path, save.number), vscode.Uri.file(path), title);
  }

  /** Has all texts that are open read anew: some may have been forgotten. */
  refresh(): void {
    for (const { uri } of vscode.workspace.textDocuments.filter((one) => one.uri.scheme === SCHEME)) {
      this.changed.fire(uri);
    }
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}

function uriOf(path: string, number: number): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: SCHEME, query: JSON.stringify({ path, number }) });
}
