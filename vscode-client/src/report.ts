// The report page: what was shown, accepted and kept, from local data only. The server writes it.

import * as vscode from "vscode";

import { ServerCommand } from "./protocol";
import type { Server } from "./server";

/** Opens the report in an editor tab, as it is now. */
export async function showReport(server: Server): Promise<void> {
  const isRunning = await server.isRunningTo("show the report");
  const page = isRunning && (await server.execute(ServerCommand.report));
  if (typeof page !== "string") {
    return;
  }
  // No scripts, nothing from elsewhere: the page says so itself, and VS Code allows neither.
  const panel = vscode.window.createWebviewPanel(
    "editcast.report",
    "Editcast Report",
    vscode.ViewColumn.Active,
    { enableScripts: false, localResourceRoots: [] },
  );
  panel.webview.html = page;
}
