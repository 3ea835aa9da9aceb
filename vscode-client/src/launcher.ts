// Decides what program is the server: a setting's, the selected Python's, or that of an environment
// of our own, which is made on the way with its progress shown.

import * as vscode from "vscode";
import type { Executable } from "vscode-languageclient/node";

import {
  addTraining,
  type Bundled,
  bundledRequirements,
  madeEnvironment,
  newEnvironment,
  removeUnused,
} from "./installation/environment";
import {
  canTrain,
  EnvironmentProblem,
  findBase,
  type Interpreter,
  isRecentEnough,
  probe,
  usualInterpreters,
} from "./installation/interpreters";
import { findUv, type Surroundings } from "./installation/packages";
import { type Runtime, runtimeFor, SIZES } from "./installation/runtime";

/** Keys of what the user answered, in the extension's own state. */
const AGREED = "editcast.agreed";
const REFUSED = "editcast.refused";

/** The part of the Python extension's interface that is used here. */
interface PythonExtension {
  environments: {
    getActiveEnvironmentPath(): { path: string };
    resolveEnvironment(environment: {
      path: string;
    }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  };
}

export class Launcher {
  /** Our own environment's interpreter and what it was made of, when the server runs with it. */
  private own: { python: string; bundled: Bundled } | undefined;
  /** Whether the server was installed by this window, which has not been said yet. */
  private isNew = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /**
   * The server's command line.
   *
   * @throws EnvironmentProblem saying what the user can do
   */
  async find(): Promise<Executable> {
    this.own = undefined;
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
    const bundled = bundledRequirements(this.context.extensionPath, runtime());
    const python =
      (await madeEnvironment(bundled, this.root)) ?? (await this.install(bundled, chosen, named !== ""));
    this.own = { python, bundled };
    // Not awaited: the server need not wait for it, and runs as well when it fails.
    removeUnused(this.root, python).catch((error: unknown) => {
      this.log.warn(`unused environments remain: ${String(error)}`);
    });
    return this.executable(python, ["-I", "-m", "editcast", "serve"]);
  }

  /** Whether the server runs with packages for another device than the setting asks for now. */
  get hasOtherPackages(): boolean {
    return this.own !== undefined && this.own.bundled.runtime !== runtime();
  }

  /** Return true once after an installation. */
  tellsOfInstallation(): boolean {
    const isNew = this.isNew;
    this.isNew = false;
    return isNew;
  }

  /** Whether the user has been asked to install, and said no. */
  get isRefused(): boolean {
    return this.context.globalState.get<boolean>(REFUSED, false);
  }

  /** Notes the user's answer: what may be downloaded is the server of a kind of runtime, and its updates. */
  async answer(agrees: boolean): Promise<void> {
    const others = this.agreed.filter((one) => one !== runtime());
    await this.context.globalState.update(AGREED, agrees ? [...others, runtime()] : others);
    await this.context.globalState.update(REFUSED, !agrees);
  }

  /** Has the user asked again, who said no before. */
  async askAgain(): Promise<void> {
    await this.context.globalState.update(REFUSED, false);
  }

  private get agreed(): Runtime[] {
    return this.context.globalState.get<Runtime[]>(AGREED, []);
  }

  private get root(): string {
    return this.context.globalStorageUri.fsPath;
  }

  /**
   * Whether training can begin. Our own environment gets what it needs for that only now, if the
   * user agrees; for any other Python the server says what is missing.
   *
   * @throws EnvironmentProblem when the installation failed
   */
  async prepareTraining(): Promise<boolean> {
    if (this.own === undefined || (await canTrain(this.own.python))) {
      return true;
    }
    const { python, bundled } = this.own;
    const { download, disk } = SIZES[bundled.runtime].training;
    const choice = await vscode.window.showInformationMessage(
      `Training needs PyTorch (for ${words(bundled.runtime)}) and a few other packages: about ` +
        `${gigabytes(download)} to download and ${gigabytes(disk)} on the disk. Install them with Editcast's server?`,
      "Install",
      "Not Now",
    );
    if (choice !== "Install") {
      return false;
    }
    await this.withProgress("Editcast: installing the packages for training", (surroundings) =>
      addTraining(python, bundled, surroundings),
    );
    return true;
  }

  private executable(command: string, parameters: string[]): Executable {
    return {
      command,
      args: parameters,
      // Never the workspace, from which a program may load what lies there.
      // ONNX Runtime reports to its maker unless this variable says otherwise.
      options: {
        cwd: this.context.extensionPath,
        env: { ...process.env, ORT_DISABLE_TELEMETRY: "1" },
      },
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
      const path = resolved?.executable.uri?.fsPath ?? active.path;
      return mayRun(path) ? await probe([path]) : undefined;
    } catch (error) {
      this.log.info(`the selected Python is of no use: ${String(error)}`);
      return undefined;
    }
  }

  /**
   * Our own environment, made now if the user has agreed to it.
   *
   * @throws EnvironmentProblem of the kind `not-agreed`, whose message is the question
   */
  private async install(
    bundled: Bundled,
    chosen: Interpreter | undefined,
    named: boolean,
  ): Promise<string> {
    const uv = await findUv();
    const candidates = chosen === undefined ? [] : [[chosen.path]];
    const usual = named ? [] : usualInterpreters(process.platform);
    const base = await findBase([...candidates, ...usual], uv !== undefined);
    if (!this.agreed.includes(bundled.runtime)) {
      const { download, disk } = SIZES[bundled.runtime].server;
      throw new EnvironmentProblem(
        "not-agreed",
        `Editcast's server is not installed yet. The installation downloads about ${download} MB of ` +
          `Python packages for ${words(bundled.runtime)}, checks each by its hash, and takes about ` +
          `${disk} MB on the disk. After that Editcast downloads nothing, and nothing leaves your machine.`,
      );
    }
    const python = await this.withProgress("Editcast: installing its server", (surroundings) =>
      newEnvironment(bundled, base, { ...surroundings, uv }),
    );
    this.isNew = true;
    return python;
  }

  private withProgress<Result>(
    title: string,
    task: (surroundings: Surroundings) => Promise<Result>,
  ): Thenable<Result> {
    const location = vscode.ProgressLocation.Notification;
    return vscode.window.withProgress({ location, title, cancellable: true }, (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      let shown = 0;
      return task({
        root: this.root,
        signal: abort.signal,
        report: (line) => this.log.info(line),
        progress: (message, done) => {
          const increment = Math.max(0, 100 * done - shown);
          shown += increment;
          progress.report({ message, increment });
        },
      });
    });
  }
}

/** The packages that this machine needs. */
function runtime(): Runtime {
  return runtimeFor(vscode.workspace.getConfiguration("editcast").get<string>("device", "auto"));
}

/** What a runtime is for, in the user's words. */
function words(runtime: Runtime): string {
  return runtime === "gpu" ? "an NVIDIA card" : "the processor";
}

/** A number of megabytes, in gigabytes where it is large. */
function gigabytes(size: number): string {
  return size < 1000 ? `${size} MB` : `${(size / 1000).toFixed(1)} GB`;
}

/** Whether a program may be started: one that lies in a folder that is not trusted may not. */
function mayRun(path: string): boolean {
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path));
  return vscode.workspace.isTrusted || folder === undefined;
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
