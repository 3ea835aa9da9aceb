// The extension's entry: puts its parts together when VS Code starts it, and stops the server when
// VS Code stops it.

import * as vscode from "vscode";

import { registerCommands } from "./commands";
import { HistoryView } from "./history/view";
import { Launcher } from "./launcher";
import { Offers } from "./offers/offers";
import { ProgressNotifications } from "./progress";
import { Server } from "./server";
import { Snooze } from "./snooze";
import { StatusItem } from "./status";
import { welcome } from "./walkthrough";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Editcast", { log: true });
  const status = new StatusItem();
  const launcher = new Launcher(context, log);
  const started = new Server(launcher, log, status, new ProgressNotifications());
  server = started;
  const offers = new Offers(started);
  const history = new HistoryView(started);
  const snooze = new Snooze(started, context.storageUri);
  context.subscriptions.push(
    log,
    status,
    started,
    offers,
    history,
    snooze,
    registerCommands(started, launcher, offers, status, history, snooze, log, context),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (
        change.affectsConfiguration("editcast.serverCommand") ||
        change.affectsConfiguration("editcast.python") ||
        (change.affectsConfiguration("editcast.device") && launcher.hasOtherPackages)
      ) {
        void started.restart();
      }
    }),
    started.onDidInstall(() => {
      void welcome(context);
    }),
    // Whoever comes back may have installed a Python meanwhile.
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) {
        void started.startIfPython();
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
