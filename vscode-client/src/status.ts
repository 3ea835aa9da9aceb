// The status bar item, driven by `editcast/status` and what is predicted for the document at hand.

import * as vscode from "vscode";

import { present, type State } from "./state";

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    "editcast.status",
    vscode.StatusBarAlignment.Right,
    100,
  );
  private current: State = "starting";
  private message = "";
  private prediction = "";
  private isServed = true;

  constructor() {
    this.item.name = "Editcast";
    this.item.command = "editcast.showMenu";
    this.show("starting");
    this.item.show();
  }

  /** What Editcast is doing now. */
  get state(): State {
    return this.current;
  }

  /** The state in words, with what the server says about it. */
  describe(): string {
    const lines = [
      present(this.current, this.isServed).label,
      this.message,
      this.current === "snoozed" || this.current === "disabled" ? "" : this.prediction,
    ];
    return [...new Set(lines)].filter((line) => line !== "").join("\n");
  }

  show(state: State, message = "", model = ""): void {
    // Until it has a model, the server is busy loading one.
    this.current = state === "thinking" && model === "" ? "starting" : state;
    this.message = message;
    this.draw();
  }

  /**
   * Tells what was predicted for the document at hand, or why nothing is.
   *
   * @param isServed false where the document is left alone, for which `words` has the reason
   */
  tell(words: string, isServed = true): void {
    this.prediction = words;
    this.isServed = isServed;
    this.draw();
  }

  dispose(): void {
    this.item.dispose();
  }

  private draw(): void {
    const { text, label, severity } = present(this.current, this.isServed);
    this.item.text = text;
    this.item.accessibilityInformation = { label, role: "button" };
    this.item.tooltip = this.describe();
    this.item.backgroundColor =
      severity === "none"
        ? undefined
        : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
  }
}
