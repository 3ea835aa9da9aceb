// The view of what is remembered: projects, their files, the saves of each; to look at, forget, export.

import { homedir } from "node:os";
import { posix, relative } from "node:path";
import * as vscode from "vscode";

import { type Remembered, type RememberedFile, type RememberedSave, ServerCommand } from "../protocol";
import type { Server } from "../server";
import { ALWAYS, amount, columns, type Period, periods, type Project, projects, saveName, total } from "./remembered";
import { SavedTexts } from "./savedTexts";

const VIEW = "editcast.history";
/** Key of the context in which the view is there: nobody has it who has not asked for it. */
const SHOWN = "editcast.historyShown";
const NOT_RUNNING = "Editcast's server is not running.";
const FORGET_DETAIL =
  "This overwrites the bytes on the disk. Copies in git and in VS Code's Local History stay, and so do models " +
  "that were trained on these saves.";

type Node =
  | { kind: "project"; project: Project }
  | { kind: "file"; file: RememberedFile; project: Project }
  | { kind: "save"; file: RememberedFile; save: RememberedSave };

export class HistoryView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly texts: SavedTexts;
  private readonly view: vscode.TreeView<Node>;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    const refresh = (): void => {
      if (this.view.visible) {
        this.refresh();
      }
    };
    this.subscriptions = [vscode.workspace.onDidSaveTextDocument(refresh), server.onDidStart(refresh)];
    this.texts = new SavedTexts(server);
    this.view = vscode.window.createTreeView(VIEW, { treeDataProvider: this, showCollapseAll: true });
  }

  /** Its commands, by their names; those of a line of the tree are given that line. */
  get commands(): Record<string, (argument?: unknown) => unknown> {
    return {
      "editcast.showHistory": () => this.show(),
      "editcast.refreshHistory": () => this.refresh(),
      "editcast.openSave": (node) => this.open(node as Node),
      "editcast.compareSaveWithFile": (node) => this.open(node as Node, true),
      "editcast.forgetPath": (node) => this.forgetPath(node as Node),
      "editcast.forgetPeriod": () => this.forgetPeriod(),
      "editcast.forgetEverything": () => this.forgetEverything(),
      "editcast.exportRemembered": (node) => this.export(node as Node | undefined),
    };
  }

  async getChildren(parent?: Node): Promise<Node[]> {
    if (parent === undefined) {
      return this.roots();
    }
    if (parent.kind === "project") {
      return parent.project.files.map((file) => ({ kind: "file", file, project: parent.project }));
    }
    if (parent.kind === "save") {
      return [];
    }
    const saves = (await this.server.execute(ServerCommand.saves, parent.file.path)) as RememberedSave[] | null;
    return (saves ?? []).reverse().map((save) => ({ kind: "save", file: parent.file, save }));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    if (node.kind === "project") {
      const { name, path, files } = node.project;
      const item = new vscode.TreeItem(name, isOpen(path) ? Expanded : Collapsed);
      return Object.assign(item, {
        contextValue: "project",
        description: amount(files),
        iconPath: vscode.ThemeIcon.Folder,
        tooltip: path,
      });
    }
    if (node.kind === "file") {
      const item = new vscode.TreeItem(relative(node.project.path, node.file.path), Collapsed);
      return Object.assign(item, {
        contextValue: "file",
        description: amount([node.file]),
        resourceUri: vscode.Uri.file(node.file.path),
        iconPath: vscode.ThemeIcon.File,
        tooltip: columns(node.file),
      });
    }
    const item = new vscode.TreeItem(saveName(node.save), None);
    const command = { command: "editcast.openSave", title: "Show What This Save Changed", arguments: [node] };
    return Object.assign(item, { contextValue: "save", iconPath: new vscode.ThemeIcon("git-commit"), command });
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.view, this.texts, this.changed).dispose();
  }

  private async show(): Promise<void> {
    await vscode.commands.executeCommand("setContext", SHOWN, true);
    this.refresh();
    await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  private refresh(): void {
    this.changed.fire();
    this.texts.refresh();
  }

  private async roots(): Promise<Node[]> {
    const found = (await this.server.execute(ServerCommand.history)) as Remembered | null | undefined;
    this.view.message = found === undefined ? NOT_RUNNING : found === null ? "" : total(found);
    const open = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    return found ? projects(found, open).map((project) => ({ kind: "project", project })) : [];
  }

  private async open(node: Node, withFile = false): Promise<void> {
    if (node.kind === "save") {
      await (withFile ? this.texts.compareWithFile(node.file, node.save) : this.texts.compare(node.file, node.save));
    }
  }

  private async forgetPath(node: Node): Promise<void> {
    if (node.kind === "save") {
      return;
    }
    const [path, files] =
      node.kind === "project" ? [node.project.path, node.project.files] : [node.file.path, [node.file]];
    if (await isSure(`Forget ${amount(files)}: ${path}?`)) {
      await this.forget(files);
    }
  }

  private async forgetPeriod(): Promise<void> {
    const choice = await vscode.window.showQuickPick(periods(new Date()), { title: "Forget saves of a period" });
    if (choice !== undefined && (await isSure(`Forget all saves of this period (${choice.label.toLowerCase()})?`))) {
      await this.forget(null, choice.period);
    }
  }

  private async forgetEverything(): Promise<void> {
    if (await isSure("Forget everything that Editcast has recorded, in all folders?")) {
      await this.forget(null);
    }
  }

  private async forget(files: RememberedFile[] | null, { since, until }: Period = ALWAYS): Promise<void> {
    tell(await this.server.execute(ServerCommand.forget, paths(files), since, until));
    this.refresh();
  }

  private async export(node: Node | undefined): Promise<void> {
    const files = node?.kind === "project" ? node.project.files : node?.kind === "file" ? [node.file] : null;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
    const defaultUri = folder.with({ path: posix.join(folder.path, "editcast-history.jsonl") });
    const file = await vscode.window.showSaveDialog({ defaultUri, filters: { "JSON lines": ["jsonl"] } });
    if (file !== undefined) {
      tell(await this.server.execute(ServerCommand.exportHistory, file.fsPath, paths(files)));
    }
  }
}

function paths(files: readonly RememberedFile[] | null): string[] | null {
  return files?.map(({ path }) => path) ?? null;
}

function isOpen(path: string): boolean {
  return (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => uri.fsPath === path);
}

async function isSure(question: string): Promise<boolean> {
  const options = { modal: true, detail: FORGET_DETAIL };
  return (await vscode.window.showWarningMessage(question, options, "Forget")) === "Forget";
}

/** Says what was done; what went wrong the server has said itself. */
function tell(sentence: unknown): void {
  if (typeof sentence === "string") {
    vscode.window.setStatusBarMessage(sentence, 5000);
  } else if (sentence === undefined) {
    void vscode.window.showErrorMessage(NOT_RUNNING);
  }
}
