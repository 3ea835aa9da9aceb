// The one server process of this window: started, spoken with over LSP, restarted, stopped.

import * as vscode from "vscode";
import {
  CloseAction,
  type CloseHandlerResult,
  ErrorAction,
  type ErrorHandler,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State as ClientState,
  type Executable,
  type InitializeParams,
} from "vscode-languageclient/node";

import { EnvironmentProblem, findBase, usualInterpreters } from "./installation/interpreters";
import type { Launcher } from "./launcher";
import type { ProgressNotifications } from "./progress";
import {
  didPredictNotification,
  type NextEditParams,
  nextEditRequest,
  type NextEditResult,
  ServerCommand,
  statusNotification,
  type StatusParams,
} from "./protocol";
import { ReadOnlyFiles } from "./readOnly";
import { explain } from "./state";
import type { StatusItem } from "./status";

/** Restarts after so many crashes within three minutes would only repeat the last one. */
const MAXIMUM_CRASHES = 4;
/** Documents in which nobody expects an edit: panels and boxes to write in. */
const NO_FILES = ["output", "debug", "comment", "vscode-scm", "search-editor"];
const READ_ONLY = "Editcast makes no suggestions in read-only files.";

/** Offers are drawn by us, at the cursor as elsewhere: VS Code is not to ask for some of them too. */
class Client extends LanguageClient {
  protected override fillInitializeParams(params: InitializeParams): void {
    super.fillInitializeParams(params);
    delete params.capabilities.textDocument?.inlineCompletion;
  }
}

export class Server implements vscode.Disposable {
  private readonly predicted = new vscode.EventEmitter<NextEditResult>();
  private readonly ended = new vscode.EventEmitter<void>();
  private readonly started = new vscode.EventEmitter<void>();
  private readonly installed = new vscode.EventEmitter<void>();
  /** The suggestions of a document are others now. */
  readonly onDidPredict = this.predicted.event;
  /** The server runs, for the first time or again. */
  readonly onDidStart = this.started.event;
  /** Files in which nothing is suggested: nobody could take it. */
  readonly readOnly = new ReadOnlyFiles();
  /** The server's process ended, or is about to. */
  readonly onDidEnd = this.ended.event;
  /** The server is ready for the first time after its installation. */
  readonly onDidInstall = this.installed.event;
  private client: LanguageClient | undefined;
  /** Starts, stops and restarts, one after the other. */
  private queue: Promise<void> = Promise.resolve();
  /** Why the server was not started, if it was not. */
  private problem: EnvironmentProblem["kind"] | undefined;

  constructor(
    private readonly launcher: Launcher,
    private readonly log: vscode.LogOutputChannel,
    private readonly status: StatusItem,
    private readonly progress: ProgressNotifications,
  ) {}

  /** The client of a running server, or undefined. */
  get running(): LanguageClient | undefined {
    return this.client?.state === ClientState.Running ? this.client : undefined;
  }

  /** Waits for the end of a start that is under way; the client of a running server, or undefined. */
  async whenRunning(): Promise<LanguageClient | undefined> {
    if (this.running === undefined) {
      await this.queue;
    }
    // After a crash the client starts the server by itself.
    if (this.client?.state === ClientState.Starting) {
      await this.client.start().catch(() => undefined);
    }
    return this.running;
  }

  start(): Promise<void> {
    return this.enqueue(() => this.startNow());
  }

  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  /** Tells whether a server runs, and the user what cannot be done without one, such as "train". */
  async isRunningTo(act: string): Promise<boolean> {
    const isRunning = (await this.whenRunning()) !== undefined;
    if (!isRunning) {
      void vscode.window.showErrorMessage(
        `Editcast cannot ${act} because its server is not running. Restart the server first.`,
      );
    }
    return isRunning;
  }

  /** `workspace/executeCommand`; undefined when no server runs, nor starts. */
  async execute(command: string, ...parameters: unknown[]): Promise<unknown> {
    const client = await this.whenRunning();
    return client?.sendRequest(ExecuteCommandRequest.type, {
      command,
      arguments: parameters,
    });
  }

  /** `execute` for what the user did not ask for by itself: that it fails is for the log only. */
  async tell(command: string, ...parameters: unknown[]): Promise<void> {
    try {
      await this.execute(command, ...parameters);
    } catch (error) {
      this.log.info(`${command}: ${String(error)}`);
    }
  }

  /**
   * Has the document at hand predicted for, of which `onDidPredict` tells too, and tells in the status
   * bar what came of it, or why nothing is suggested there; nothing if there is none.
   */
  async ask(document: vscode.TextDocument | undefined): Promise<void> {
    const client = this.running;
    if (document === undefined) {
      // From one file to the next there is none for a moment.
      if (vscode.window.tabGroups.activeTabGroup.activeTab === undefined) {
        this.status.tell("");
      }
      return;
    }
    await this.readOnly.look(document);
    if (!isActive(document)) {
      return; // it was left meanwhile
    }
    const reason = leftAlone(document) || (this.readOnly.has(document) ? READ_ONLY : "");
    if (client === undefined || document.uri.scheme !== "file" || reason !== "") {
      this.status.tell(reason, client === undefined || reason === "");
      return;
    }
    try {
      const [result, words] = await this.nextEdits(client, document);
      if (isActive(document)) {
        this.status.tell(words, result !== null);
      }
    } catch (error) {
      this.log.info(`no prediction for ${document.fileName}: ${String(error)}`);
    }
  }

  private askForActive(): void {
    const editor = vscode.window.activeTextEditor;
    void (editor && this.ask(editor.document));
  }

  /** Requests the next edits of a document; the sentence is on them, or on why nothing is suggested there. */
  async nextEdits(
    client: LanguageClient,
    document: vscode.TextDocument,
    limit: Pick<NextEditParams, "count"> = {},
  ): Promise<[NextEditResult | null, string]> {
    const textDocument = client.code2ProtocolConverter.asTextDocumentIdentifier(document);
    const result = await client.sendRequest(nextEditRequest, { textDocument, ...limit });
    if (result !== null) {
      return [result, explain(result)];
    }
    const status = (await this.execute(ServerCommand.status, textDocument.uri)) as StatusParams | undefined;
    return [null, status?.message ?? ""];
  }

  dispose(): void {
    this.predicted.dispose();
    this.started.dispose();
    this.ended.dispose();
    this.installed.dispose();
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step);
    return this.queue;
  }

  /** Asks whether to install the server, again if need be. */
  async install(): Promise<void> {
    await this.launcher.askAgain();
    await this.restart();
  }

  /** Starts anew if what was missing is a Python, and there is one by now. */
  async startIfPython(): Promise<void> {
    if (["no-python", "old-python", "no-venv"].includes(this.problem ?? "")) {
      try {
        await findBase(usualInterpreters(process.platform));
      } catch {
        return;
      }
      await this.restart();
    }
  }

  private async startNow(): Promise<void> {
    this.status.show("starting");
    this.problem = undefined;
    try {
      const executable = await this.launcher.find();
      this.log.info(`starting ${[executable.command, ...(executable.args ?? [])].join(" ")}`);
      this.client = this.makeClient(executable);
      await this.client.start();
      this.askForActive();
    } catch (error) {
      this.problem = error instanceof EnvironmentProblem ? error.kind : undefined;
      if (error instanceof EnvironmentProblem && error.kind === "not-agreed") {
        // Not awaited: an answer may never come, and stopping must not wait for it.
        void this.askToInstall(error.message);
      } else if (error instanceof EnvironmentProblem && error.kind === "cancelled") {
        await this.launcher.answer(false);
        this.status.show("absent", error.message);
      } else {
        this.fail(error);
      }
    }
  }

  /** Nothing is downloaded before a yes; after a no the status bar item asks again. */
  private async askToInstall(question: string): Promise<void> {
    this.status.show("absent", "The server is not installed. Click to install it.");
    if (this.launcher.isRefused) {
      return;
    }
    const choice = await vscode.window.showInformationMessage(question, "Install", "Not Now");
    if (choice !== undefined) {
      await this.launcher.answer(choice === "Install");
    }
    if (choice === "Install") {
      await this.restart();
    }
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.progress.endAll();
    this.ended.fire();
    try {
      await client?.dispose();
    } catch (error) {
      // The process is gone, or the client's own time-out ends it: nothing is lost.
      this.log.warn(`the server did not stop cleanly: ${String(error)}`);
    }
    this.status.show("stopped");
  }

  /** Says once what is wrong, and what can be done about it. */
  private fail(error: unknown): void {
    this.log.error(error instanceof Error ? error : String(error));
    const sentence =
      error instanceof EnvironmentProblem
        ? error.message
        : "The Editcast server stopped during its start. See the log for the reason, then retry.";
    this.status.show("failed", sentence);
    void vscode.window
      .showErrorMessage(sentence, "Retry", "Show Log", "Open Settings")
      .then((choice) => {
        if (choice === "Retry") {
          void this.restart();
        } else if (choice === "Show Log") {
          this.log.show();
        } else if (choice === "Open Settings") {
          void vscode.commands.executeCommand("workbench.action.openSettings", "editcast.python");
        }
      });
  }

  private makeClient(executable: Executable): LanguageClient {
    const options: LanguageClientOptions = {
      // Every language: the server's own setting `languages` chooses. Files on disk only: what is
      // never saved has no history.
      documentSelector: [{ scheme: "file" }],
      // Later changes reach the server by the registration that it makes for them; once trust is
      // granted it is started again.
      initializationOptions: () => ({
        ...vscode.workspace.getConfiguration().get<object>("editcast"),
        isWorkspaceTrusted: vscode.workspace.isTrusted,
      }),
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false, // `start` rejects, and `fail` says so, once
      middleware: {
        handleWorkDoneProgress: this.progress.handle,
        workspace: {
          didChangeConfiguration: async (sections, next) => {
            await next(sections);
            this.askForActive(); // which may be served now, or no longer
          },
        },
      },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.afterCrash(crashes),
      },
    };
    const client = new Client("editcast", "Editcast", executable, options);
    const crashes = client.createDefaultErrorHandler(MAXIMUM_CRASHES - 1);
    this.progress.client = client;
    client.onDidChangeState(({ newState }) => {
      if (newState === ClientState.Running) {
        this.started.fire();
      }
    });
    client.onNotification(statusNotification, (status) => {
      this.status.show(status.state, status.message, status.model);
      if (status.state === "ready" || status.state === "baseline") {
        void vscode.commands.executeCommand("setContext", "editcast.ready", true);
        if (this.launcher.tellsOfInstallation()) {
          this.installed.fire();
        }
      }
    });
    client.onNotification(didPredictNotification, (result) => {
      const document = vscode.window.activeTextEditor?.document;
      if (vscode.Uri.parse(result.uri).toString() === document?.uri.toString()) {
        this.status.tell(explain(result));
      }
      this.predicted.fire(result);
    });
    return client;
  }

  /** The server process ended by itself: start it again, unless it does so all the time. */
  private async afterCrash(crashes: ErrorHandler): Promise<CloseHandlerResult> {
    this.progress.endAll();
    this.ended.fire();
    const { action } = await crashes.closed();
    if (action === CloseAction.Restart) {
      this.log.warn("the server ended unexpectedly and is started again");
      this.status.show("starting");
      return { action, handled: true };
    }
    this.fail(
      new EnvironmentProblem(
        "crashes",
        `The Editcast server crashed ${MAXIMUM_CRASHES} times within minutes and was not restarted. See ` +
          `the log for the reason, then retry.`,
      ),
    );
    return { action, handled: true };
  }
}

function isActive(document: vscode.TextDocument): boolean {
  return document === vscode.window.activeTextEditor?.document;
}

/** Why a document is left alone whatever the server says, or nothing. */
function leftAlone({ uri, isUntitled }: vscode.TextDocument): string {
  if (uri.scheme === "vscode-notebook-cell") {
    return "Editcast does not support notebooks.";
  }
  if (isUntitled) {
    return "Editcast makes no suggestions in a file that has not been saved yet.";
  }
  const isFile = uri.scheme === "file" || NO_FILES.includes(uri.scheme);
  return isFile ? "" : "Editcast makes suggestions only in files on the disk.";
}
