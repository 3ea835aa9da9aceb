// Finds or makes the Python that runs the server, starts it, and speaks LSP with it.

import * as vscode from "vscode";
import {
  CloseAction,
  DidChangeConfigurationNotification,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State as ClientState,
  type Executable,
} from "vscode-languageclient/node";

import { bundledWheel, ownEnvironment } from "./environment";
import {
  EnvironmentProblem,
  findBase,
  type Interpreter,
  isRecentEnough,
  probe,
  usualInterpreters,
} from "./interpreters";
import { didPredictNotification, statusNotification } from "./protocol";
import type { StatusItem } from "./status";
import type { ProgressNotifications } from "./progress";

/** Restarts after so many crashes would only repeat the last one. */
const MAXIMUM_CRASHES = 4;
const CRASH_WINDOW_MS = 3 * 60_000;

/** The part of the Python extension's interface that is used here. */
interface PythonExtension {
  environments: {
    getActiveEnvironmentPath(): { path: string };
    resolveEnvironment(environment: {
      path: string;
    }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  };
}

/** The one server process of this window, from nothing to running and back. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  /** Starts, stops and restarts, one after the other. */
  private queue: Promise<void> = Promise.resolve();
  private crashes: number[] = [];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly status: StatusItem,
    private readonly progress: ProgressNotifications,
  ) {}

  /** The client of a running server, or undefined. */
  get running(): LanguageClient | undefined {
    return this.client?.state === ClientState.Running ? this.client : undefined;
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

  dispose(): void {
    void this.stop();
  }

  /** `workspace/executeCommand`; undefined when no server runs. */
  async execute(command: string, ...parameters: unknown[]): Promise<unknown> {
    return this.running?.sendRequest(ExecuteCommandRequest.type, {
      command,
      arguments: parameters,
    });
  }

  /** Some setting of the section `editcast` is another now. */
  configurationChanged(change: vscode.ConfigurationChangeEvent): void {
    if (
      change.affectsConfiguration("editcast.serverCommand") ||
      change.affectsConfiguration("editcast.python")
    ) {
      void this.restart();
    } else if (change.affectsConfiguration("editcast")) {
      void this.running?.sendNotification(DidChangeConfigurationNotification.type, {
        settings: { editcast: settings() },
      });
    }
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step);
    return this.queue;
  }

  private async startNow(): Promise<void> {
    this.status.show("starting");
    try {
      const executable = await this.findExecutable();
      this.log.info(`starting ${[executable.command, ...(executable.args ?? [])].join(" ")}`);
      this.crashes = [];
      this.client = this.makeClient(executable);
      await this.client.start();
    } catch (error) {
      this.fail(error);
    }
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.progress.endAll();
    if (client !== undefined) {
      try {
        await client.dispose();
      } catch (error) {
        // The process is gone or will be ended by the client's own time-out: nothing to save.
        this.log.warn(`the server did not stop cleanly: ${String(error)}`);
      }
    }
    this.status.show("stopped");
  }

  /** Says what is wrong in one sentence, once, with what can be done about it. */
  private fail(error: unknown): void {
    this.log.error(error instanceof Error ? error : String(error));
    const sentence =
      error instanceof EnvironmentProblem
        ? error.message
        : "The Editcast server stopped while starting: see the log for the reason, then retry.";
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
      initializationOptions: () => settings(),
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false, // `start` rejects, and `fail` says so, once
      middleware: { handleWorkDoneProgress: this.progress.handle },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.afterCrash(),
      },
    };
    const client = new LanguageClient("editcast", "Editcast", executable, options);
    this.progress.client = client;
    client.onNotification(statusNotification, (status) => {
      this.status.show(status.state, status.message, status.model);
    });
    client.onNotification(didPredictNotification, (result) => {
      this.status.suggest(result);
    });
    return client;
  }

  /** The server process ended by itself: start it again, unless it does so all the time. */
  private afterCrash(): { action: CloseAction; handled: boolean } {
    this.progress.endAll();
    const now = Date.now();
    this.crashes = [...this.crashes.filter((time) => now - time < CRASH_WINDOW_MS), now];
    if (this.crashes.length < MAXIMUM_CRASHES) {
      this.log.warn("the server ended unexpectedly and is started again");
      this.status.show("starting");
      return { action: CloseAction.Restart, handled: true };
    }
    this.fail(
      new EnvironmentProblem(
        "install-failed",
        `The Editcast server ended ${MAXIMUM_CRASHES} times in a row and stays off: see the log ` +
          `for the reason, then retry.`,
      ),
    );
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  private async findExecutable(): Promise<Executable> {
    const configuration = vscode.workspace.getConfiguration("editcast");
    const [command, ...parameters] = configuration.get<string[]>("serverCommand", []);
    if (command !== undefined) {
      return this.executable(command, parameters);
    }
    const named = configuration.get<string>("python", "").trim();
    const chosen = named === "" ? await this.selectedPython() : await namedPython(named);
    if (chosen !== undefined && isRecentEnough(chosen.version) && chosen.editcast !== null) {
      this.log.info(`${chosen.path} has Editcast ${chosen.editcast}`);
      // Without -P, Python would look for modules in the working directory first.
      return this.executable(chosen.path, ["-P", "-m", "editcast", "serve"]);
    }
    const python = await this.ownPython(chosen, named !== "");
    return this.executable(python, ["-I", "-m", "editcast", "serve"]);
  }

  private executable(command: string, parameters: string[]): Executable {
    return {
      command,
      args: parameters,
      // Never the workspace, from which a program may load what lies there.
      options: { cwd: this.context.extensionPath },
    };
  }

  /** What the Python extension has selected, or undefined: it may be absent, or not know. */
  private async selectedPython(): Promise<Interpreter | undefined> {
    const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
    if (extension === undefined) {
      return undefined;
    }
    try {
      const { environments } = await extension.activate();
      const active = environments.getActiveEnvironmentPath();
      const resolved = await environments.resolveEnvironment(active);
      return await probe([resolved?.executable.uri?.fsPath ?? active.path]);
    } catch (error) {
      this.log.info(`the selected Python is of no use: ${String(error)}`);
      return undefined;
    }
  }

  /** The environment in the extension's storage, made now if need be, with progress shown. */
  private async ownPython(chosen: Interpreter | undefined, named: boolean): Promise<string> {
    const wheel = await bundledWheel(this.context.extensionPath);
    const candidates = chosen === undefined ? [] : [[chosen.path]];
    const find = (): Promise<Interpreter> =>
      findBase(named ? candidates : [...candidates, ...usualInterpreters(process.platform)]);
    return vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: "Editcast: installing its server",
        cancellable: true,
      },
      (progress, token) => {
        const abort = new AbortController();
        token.onCancellationRequested(() => {
          abort.abort();
        });
        const report = (line: string): void => {
          this.log.info(line);
          const message = /^(Collecting|Downloading|Installing) \S+|^making an environment/.exec(line);
          if (message !== null) {
            progress.report({ message: message[0] });
          }
        };
        const root = this.context.globalStorageUri.fsPath;
        return ownEnvironment(root, wheel, find, report, abort.signal);
      },
    );
  }
}

async function namedPython(path: string): Promise<Interpreter> {
  try {
    return await probe([path]);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new EnvironmentProblem(
      "broken-python",
      `The Python named by editcast.python does not run (${reason}): correct or clear that setting.`,
    );
  }
}

/** The server's settings: all of the section but the two that only choose the server. */
function settings(): Record<string, unknown> {
  const section = vscode.workspace.getConfiguration().get<Record<string, unknown>>("editcast", {});
  return Object.fromEntries(
    Object.entries(section).filter(([key]) => key !== "serverCommand" && key !== "python"),
  );
}
