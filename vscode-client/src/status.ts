// The status bar item, driven by `editcast/status` and `editcast/didPredict`.

import * as vscode from "vscode";

import type { NextEditResult } from "./protocol";
import { present, type State } from "./state";

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    "editcast.status",
    vscode.StatusBarAlignment.Right,
    100,
  );
  private current: State = "starting";
  private message = "";
  private model = "";
  private prediction = "";

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
    return [
      present(this.current).label,
      this.message,
      this.model === "" ? "" : `Model: ${this.model}`,
      this.prediction,
    ]
      .filter((line) => line !== "")
      .join("\n");
  }

  show(state: State, message = "", model = ""): void {
    // Until it has a model, the server is busy loading one.
    this.current = state === "thinking" && model === "" ? "starting" : state;
    this.message = message;
    this.model = model;
    const { text, label, severity } = present(this.current);
    this.item.text = text;
    this.item.accessibilityInformation = { label, role: "button" };
    this.item.tooltip = this.describe();
    this.item.backgroundColor =
      severity === "none"
        ? undefined
        : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
  }

  /** Tells in the tooltip what was predicted last. */
  suggest(result: NextEditResult): void {
    const [best] = result.suggestions;
    this.prediction =
      best === undefined ? "" : `${best.title}, in ${Math.round(result.milliseconds)} ms`;
    this.item.tooltip = this.describe();
  }

  dispose(): void {
    this.item.dispose();
  }
}
