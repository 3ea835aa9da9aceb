// Silence for a while: a time, until VS Code restarts, or in a workspace until it is woken.

import * as vscode from "vscode";

import { ServerCommand } from "./protocol";
import type { Server } from "./server";

/** Key of the workspace's own state: whoever works here wants silence. */
const SILENT = "editcast.silent";
const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Seconds that the server takes for no end: 30 years. */
const ENDLESS = 1e9;

interface Item extends vscode.QuickPickItem {
  seconds: number;
  /** Whether it holds for the workspace, and after a restart. */
  stays?: boolean;
}

export class Snooze implements vscode.Disposable {
  /** Whether this window is silent until it ends. */
  private isEndless = false;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly state: vscode.Memento,
  ) {
    this.subscription = server.onDidStart(() => {
      if (this.isEndless || this.state.get<boolean>(SILENT, false)) {
        void this.server.tell(ServerCommand.snooze, ENDLESS);
      }
    });
  }

  /** Asks how long Editcast is to be silent. */
  async choose(isSnoozed: boolean): Promise<void> {
    const items: Item[] = [
      ...(isSnoozed ? [{ label: "Wake up now", seconds: 0 }] : []),
      { label: "5 minutes", seconds: 5 * MINUTE },
      { label: "30 minutes", seconds: 30 * MINUTE },
      { label: "An hour", seconds: HOUR },
      { label: "Until this window is closed or loaded again", seconds: ENDLESS },
      { label: "In this workspace, until I wake it up", seconds: ENDLESS, stays: true },
    ];
    const choice = await vscode.window.showQuickPick(items, {
      title: "Snooze Editcast",
      placeHolder: "Saves are remembered meanwhile",
    });
    if (choice !== undefined) {
      this.isEndless = choice.seconds === ENDLESS;
      await this.state.update(SILENT, choice.stays === true ? true : undefined);
      await this.server.execute(ServerCommand.snooze, choice.seconds);
    }
  }

  dispose(): void {
    this.subscription.dispose();
  }
}
