// The extension's entry: puts its parts together when VS Code starts it, and stops the server when
// VS Code stops it.

import * as vscode from "vscode";

import { registerCommands } from "./commands";
import { Launcher } from "./launcher";
import { Offers } from "./offers";
import { ProgressNotifications } from "./progress";
import { Server } from "./server";
import { StatusItem } from "./status";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Editcast", { log: true });
  const status = new StatusItem();
  const launcher = new Launcher(context, log);
  const started = new Server(launcher, log, status, new ProgressNotifications());
  server = started;
  const offers = new Offers(started);
  context.subscriptions.push(
    log,
    status,
    started,
    offers,
    registerCommands(started, launcher, offers, status, log),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (
        change.affectsConfiguration("editcast.serverCommand") ||
        change.affectsConfiguration("editcast.python")
      ) {
        void started.restart();
      }
    }),
    // A folder that becomes trusted may name the server or the Python to use.
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      void started.restart();
    }),
  );
  // Not awaited: VS Code counts the time that activation takes, and the first start may install.
  void started.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
