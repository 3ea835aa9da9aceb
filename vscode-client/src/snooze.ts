// Silence for a while: a time, until VS Code restarts, or in a workspace until it is woken.

import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as vscode from "vscode";

import { ServerCommand } from "./protocol";
import type { Server } from "./server";

/**
 * A file in the workspace's own storage for as long as the workspace is silent. VS Code writes
 * `workspaceState` later, and loses it with a window that ends before.
 */
const SILENT = "silent";
const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Seconds that the server takes for no end: 30 years. */
const ENDLESS = 1e9;

interface Item extends vscode.QuickPickItem {
  seconds: number;
  /** True for a choice that holds for the workspace, and after a restart. */
  stays?: boolean;
}

export class Snooze implements vscode.Disposable {
  /** When the silence of this window ends, in milliseconds since the epoch. */
  private end = 0;
  private readonly subscription: vscode.Disposable;
  private readonly file: string | undefined;

  /** @param storage the workspace's folder for this extension; undefined where no folder is open */
  constructor(
    private readonly server: Server,
    storage: vscode.Uri | undefined,
  ) {
    this.file = storage && join(storage.fsPath, SILENT);
    this.subscription = server.onDidStart(() => {
      const isSilent = this.file !== undefined && existsSync(this.file);
      const left = isSilent ? ENDLESS : (this.end - Date.now()) / 1000;
      if (left > 0) {
        void this.server.tell(ServerCommand.snooze, left);
      }
    });
  }

  /** Asks how long Editcast is to be silent. */
  async choose(isSnoozed: boolean): Promise<void> {
    const items: Item[] = [
      ...(isSnoozed ? [{ label: "End the snooze now", seconds: 0 }] : []),
      { label: "5 minutes", seconds: 5 * MINUTE },
      { label: "30 minutes", seconds: 30 * MINUTE },
      { label: "An hour", seconds: HOUR },
      { label: "Until this window is closed or reloaded", seconds: ENDLESS },
      ...(this.file !== undefined
        ? [{ label: "In this workspace, until I end the snooze", seconds: ENDLESS, stays: true }]
        : []),
    ];
    const choice = await vscode.window.showQuickPick(items, {
      title: "Snooze Editcast",
      placeHolder: "Saves are still recorded",
    });
    if (choice !== undefined) {
      this.end = Date.now() + 1000 * choice.seconds;
      await this.remember(choice.stays === true);
      await this.server.execute(ServerCommand.snooze, choice.seconds);
    }
  }

  private async remember(isSilent: boolean): Promise<void> {
    if (this.file === undefined) {
      return;
    }
    if (isSilent) {
      await mkdir(dirname(this.file), { recursive: true });
      await writeFile(this.file, "");
    } else {
      await rm(this.file, { force: true });
    }
  }

  dispose(): void {
    this.subscription.dispose();
  }
}
