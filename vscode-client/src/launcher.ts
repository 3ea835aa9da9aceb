// Decides what program is the server: a setting's, the selected Python's, or that of an environment
// of our own, which is made on the way with its progress shown.

import * as vscode from "vscode";
import type { Executable } from "vscode-languageclient/node";

import {
  addTraining,
  bundledRequirements,
  ownEnvironment,
  removeUnused,
  type Surroundings,
} from "./environment";
import {
  canTrain,
  EnvironmentProblem,
  findBase,
  type Interpreter,
  isRecentEnough,
  probe,
  usualInterpreters,
} from "./interpreters";

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
  /** The interpreter of our own environment, when that is what the server runs with. */
  private own: string | undefined;

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
    this.own = await this.ownPython(chosen, named !== "");
    return this.executable(this.own, ["-I", "-m", "editcast", "serve"]);
  }

  /**
   * Whether training can begin. Our own environment gets what it needs for that only now, if the
   * user agrees; for any other Python the server says what is missing.
   *
   * @throws EnvironmentProblem when the installation failed
   */
  async prepareTraining(): Promise<boolean> {
    const python = this.own;
    if (python === undefined || (await canTrain(python))) {
      return true;
    }
    const choice = await vscode.window.showInformationMessage(
      "Training needs PyTorch and a few other packages, which take several GB on the disk. " +
        "Install them into Editcast's own environment?",
      "Install",
      "Not Now",
    );
    if (choice !== "Install") {
      return false;
    }
    const bundled = bundledRequirements(this.context.extensionPath);
    await this.withProgress("Editcast: installing what training needs", (surroundings) =>
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

  private async ownPython(chosen: Interpreter | undefined, named: boolean): Promise<string> {
    const bundled = bundledRequirements(this.context.extensionPath);
    const candidates = chosen === undefined ? [] : [[chosen.path]];
    const find = (): Promise<Interpreter> =>
      findBase(named ? candidates : [...candidates, ...usualInterpreters(process.platform)]);
    const python = await this.withProgress("Editcast: preparing its server", (surroundings) =>
      ownEnvironment(bundled, find, surroundings),
    );
    // Not awaited: the server need not wait for it, and runs as well when it fails.
    removeUnused(this.context.globalStorageUri.fsPath, python).catch((error: unknown) => {
      this.log.warn(`unused environments remain: ${String(error)}`);
    });
    return python;
  }

  private withProgress<Result>(
    title: string,
    task: (surroundings: Surroundings) => Promise<Result>,
  ): Thenable<Result> {
    const location = vscode.ProgressLocation.Notification;
    return vscode.window.withProgress({ location, title, cancellable: true }, (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => {
        abort.abort();
      });
      return task({
        root: this.context.globalStorageUri.fsPath,
        signal: abort.signal,
        report: (line) => {
          this.log.info(line);
          const message = /^Making .*|^Collecting \S+|^Installing collected packages/.exec(line);
          if (message !== null) {
            progress.report({ message: message[0] });
          }
        },
      });
    });
  }
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
