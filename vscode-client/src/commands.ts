// The commands of the palette and of the status bar's menu.

import * as vscode from "vscode";

import { SIZES } from "./installation/runtime";
import type { HistoryView } from "./history/view";
import { isOn, toggled } from "./languages";
import type { Launcher } from "./launcher";
import { reviewNextEdits } from "./offers/nextEdit";
import type { Key, Offers } from "./offers/offers";
import { ServerCommand } from "./protocol";
import type { Server } from "./server";
import type { Snooze } from "./snooze";
import type { StatusItem } from "./status";
import { train } from "./training/train";
import { openWalkthrough, showPrivacy, tryIt } from "./walkthrough";

/** The part of an extension's manifest that names languages. */
interface Manifest {
  contributes?: { languages?: { id: string; aliases?: string[] }[] };
}

/** Registers all commands; dispose of the result to take them away again. */
export function registerCommands(
  server: Server,
  launcher: Launcher,
  offers: Offers,
  status: StatusItem,
  history: HistoryView,
  snooze: Snooze,
  log: vscode.LogOutputChannel,
  context: vscode.ExtensionContext,
): vscode.Disposable {
  const commands: Record<string, (argument?: unknown) => unknown> = {
    "editcast.nextEdit": () => reviewNextEdits(server),
    "editcast.tab": (argument) => offers.tab(argument as Key | undefined),
    "editcast.acceptSuggestion": () => offers.accept(),
    "editcast.acceptEverywhere": () => offers.accept("everywhere"),
    "editcast.acceptWord": () => offers.acceptPart("word"),
    "editcast.acceptLine": () => offers.acceptPart("line"),
    "editcast.jumpToSuggestion": () => offers.jump(),
    "editcast.rejectSuggestion": () => offers.reject(),
    "editcast.snoozeSuggestions": () => snooze.choose(status.state === "snoozed"),
    "editcast.toggle": () => change<boolean>("enabled", (enabled) => !enabled),
    "editcast.toggleLanguage": toggleLanguage,
    "editcast.trainModel": () => train(server, launcher),
    "editcast.revertModel": async () => {
      if (await server.isRunningTo("go back to the previous model")) {
        await server.execute(ServerCommand.revert);
      }
    },
    "editcast.showReport": () => showReport(server),
    "editcast.install": () => server.install(),
    "editcast.openWalkthrough": () => openWalkthrough(server.running !== undefined),
    "editcast.tryIt": () => tryIt(context),
    "editcast.showKeys": () =>
      vscode.commands.executeCommand("workbench.action.openGlobalKeybindings", "@ext:editcast.editcast"),
    "editcast.showPrivacy": () => showPrivacy(context),
    "editcast.chooseEagerness": chooseEagerness,
    "editcast.chooseDevice": chooseDevice,
    "editcast.restartServer": () => server.restart(),
    "editcast.showLog": () => log.show(),
    "editcast.showMenu": () => showMenu(status),
    "editcast.openSettings": () =>
      vscode.commands.executeCommand("workbench.action.openSettings", "@ext:editcast.editcast"),
    ...history.commands,
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([id, run]) => vscode.commands.registerCommand(id, run)),
  );
}

/** Opens the report in an editor tab: what was shown, accepted and kept, from local data only. */
async function showReport(server: Server): Promise<void> {
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

/** The commands that make sense now, for a click on the status bar item. */
async function showMenu(status: StatusItem): Promise<void> {
  if (status.state === "absent") {
    await vscode.commands.executeCommand("editcast.install");
    return;
  }
  const configuration = vscode.workspace.getConfiguration("editcast");
  const enabled = configuration.get<boolean>("enabled", true);
  const language = vscode.window.activeTextEditor?.document.languageId;
  const served = language !== undefined && isOn(configuration.get<string[]>("languages", []), language);
  const always = [
    { label: "$(debug-restart) Restart the server", command: "editcast.restartServer" },
    { label: "$(output) Show the log", command: "editcast.showLog" },
  ];
  const whileRunning = [
    { label: "$(edit) List the next edits", command: "editcast.nextEdit" },
    {
      label: enabled ? "$(circle-slash) Turn suggestions off" : "$(check) Turn suggestions on",
      command: "editcast.toggle",
    },
    ...(language === undefined
      ? []
      : [
          {
            label: served
              ? `$(circle-slash) Turn suggestions off in ${nameOf(language)}`
              : `$(check) Turn suggestions on in ${nameOf(language)}`,
            command: "editcast.toggleLanguage",
          },
        ]),
    {
      label: status.state === "snoozed" ? "$(bell) End or extend the snooze" : "$(bell-slash) Snooze",
      command: "editcast.snoozeSuggestions",
    },
    ...(vscode.workspace.isTrusted
      ? [{ label: "$(mortar-board) Train on my local history", command: "editcast.trainModel" }]
      : []),
    { label: "$(history) Go back to the previous model", command: "editcast.revertModel" },
    { label: "$(graph) Show the report", command: "editcast.showReport" },
    { label: "$(database) Show recorded saves", command: "editcast.showHistory" },
    { label: "$(dashboard) Choose the eagerness", command: "editcast.chooseEagerness" },
    { label: "$(gear) Open the settings", command: "editcast.openSettings" },
    { label: "$(book) First steps", command: "editcast.openWalkthrough" },
  ];
  const down = status.state === "failed" || status.state === "stopped";
  const choice = await vscode.window.showQuickPick(
    down ? always : [...whileRunning, ...always],
    { title: "Editcast", placeHolder: status.describe().replaceAll("\n", " · ") },
  );
  if (choice !== undefined) {
    await vscode.commands.executeCommand(choice.command);
  }
}

/** The name that users know a language by, such as C++ for `cpp`. */
function nameOf(language: string): string {
  const contributed = vscode.extensions.all.flatMap(
    ({ packageJSON }) => (packageJSON as Manifest).contributes?.languages ?? [],
  );
  return contributed.find(({ id, aliases }) => id === language && aliases?.[0])?.aliases?.[0] ?? language;
}

async function chooseEagerness(): Promise<void> {
  const items = [
    { label: "Low", detail: "Few suggestions; about 85 of 100 are expected to be right" },
    { label: "Medium", detail: "About 60 of 100 are expected to be right" },
    { label: "High", detail: "Many suggestions; about 35 of 100 are expected to be right" },
  ];
  const threshold = vscode.workspace.getConfiguration("editcast").get<number | null>("confidenceThreshold", null);
  const choice = await vscode.window.showQuickPick(items, {
    title: "How many suggestions Editcast shows",
    ...(threshold === null ? {} : { placeHolder: `Replaces the confidence threshold of ${threshold} in your settings` }),
  });
  if (choice !== undefined) {
    await change<string>("eagerness", () => choice.label.toLowerCase());
    if (threshold !== null) {
      await change<number | null>("confidenceThreshold", () => null); // which overrides the eagerness
    }
  }
}

/** Where the model runs, and with it which packages are installed: the server is started anew for them. */
async function chooseDevice(): Promise<void> {
  const items = [
    { label: "Automatic", detail: "An NVIDIA card if it has a driver, otherwise the processor", device: "auto" },
    { label: "The processor", detail: `${SIZES.cpu.server.disk} MB on the disk`, device: "cpu" },
    { label: "An NVIDIA card", detail: `${SIZES.gpu.server.disk} MB on the disk`, device: "cuda" },
  ];
  const choice = await vscode.window.showQuickPick(items, { title: "Where Editcast's model runs" });
  if (choice !== undefined) {
    await change<string>("device", () => choice.device);
  }
}

async function toggleLanguage(): Promise<void> {
  const language = vscode.window.activeTextEditor?.document.languageId;
  if (language !== undefined) {
    await change<string[]>("languages", (languages) => toggled(languages, language));
  }
}

/** Changes a setting where the value now in force was set, so that the change has an effect. */
async function change<Value>(name: string, next: (value: Value) => Value): Promise<void> {
  const configuration = vscode.workspace.getConfiguration("editcast");
  const target =
    configuration.inspect(name)?.workspaceValue === undefined
      ? vscode.ConfigurationTarget.Global
      : vscode.ConfigurationTarget.Workspace;
  const value = configuration.get<Value>(name);
  if (value !== undefined) {
    await configuration.update(name, next(value), target);
  }
}
