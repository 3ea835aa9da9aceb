// Files that VS Code lets nobody edit, as far as an extension can know: by its settings, or by the
// file's permissions. A window's own "Set Active Editor Read-only in Session" is told to nobody.

import * as vscode from "vscode";

export class ReadOnlyFiles {
  /** By URI, whether the file's permissions forbid to write. */
  private readonly forbidden = new Map<string, boolean>();

  /** Tells whether a document cannot be edited, as far as is known by now. */
  has(document: vscode.TextDocument): boolean {
    const files = vscode.workspace.getConfiguration("files", document);
    const matches = (setting: string): boolean =>
      Object.entries(files.get<Record<string, boolean>>(setting, {})).some(
        ([pattern, isOn]) => isOn && vscode.languages.match({ pattern }, document) > 0,
      );
    const isForbidden =
      files.get<boolean>("readonlyFromPermissions", false) && this.forbidden.get(document.uri.toString()) === true;
    return isForbidden || (matches("readonlyInclude") && !matches("readonlyExclude"));
  }

  /** Looks at the permissions of a document's file. */
  async look({ uri }: vscode.TextDocument): Promise<void> {
    try {
      const { permissions } = await vscode.workspace.fs.stat(uri);
      this.forbidden.set(uri.toString(), permissions === vscode.FilePermission.Readonly);
    } catch {
      this.forbidden.delete(uri.toString());
    }
  }
}
