// Offers announced to those who listen to their editor: what is drawn is not read to them.

import * as vscode from "vscode";

/**
 * An item of the status bar that nobody sees, in the role of an alert: screen readers say its label
 * when it appears. Whether one is there is told to no extension; with `auto` as with `on` there may be.
 */
export class Announcement implements vscode.Disposable {
  private item: vscode.StatusBarItem | undefined;

  /** Announces a sentence in place of the one before. */
  make(sentence: string): void {
    this.dispose();
    const listens = vscode.workspace.getConfiguration("editor").get<string>("accessibilitySupport");
    if (listens === "off") {
      return;
    }
    // A new one each time: what changes within an item is not always read.
    const item = vscode.window.createStatusBarItem("editcast.announcement", vscode.StatusBarAlignment.Right, 0);
    item.name = "Editcast, for Screen Readers";
    item.text = "\u00a0";
    item.accessibilityInformation = { label: sentence, role: "alert" };
    item.show();
    this.item = item;
  }

  /** Takes the announcement back. */
  dispose(): void {
    this.item?.dispose();
    this.item = undefined;
  }
}
