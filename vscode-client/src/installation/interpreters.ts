// What Pythons there are and whether they will do. Knows processes only, not VS Code, so that its
// tests run in plain Node.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, win32 } from "node:path";
import { promisify } from "node:util";

/** The oldest Python that the server runs on. */
const MINIMUM_PYTHON = [3, 11] as const;

/** Major, minor, micro. */
export type Version = readonly [number, number, number];

export interface Interpreter {
  /** The interpreter's own idea of its path (`sys.executable`). */
  path: string;
  version: Version;
  /** The version of Editcast that it can import, or null. */
  editcast: string | null;
  /** Whether `python -m venv` would give an environment with pip. */
  makesEnvironments: boolean;
}

/** Why no server could be started, with what the user can do. */
export class EnvironmentProblem extends Error {
  constructor(
    readonly kind:
      | "no-python"
      | "old-python"
      | "broken-python"
      | "no-venv"
      | "no-network"
      | "no-disk"
      | "no-permission"
      | "no-packages"
      | "wrong-package"
      | "install-failed"
      | "crashes"
      | "cancelled"
      | "not-agreed",
    sentence: string,
  ) {
    super(sentence);
    this.name = "EnvironmentProblem";
  }
}

// Runs on any Python back to 2.7, whose answer is needed to say that it is too old.
const PROBE = `
import json, sys
editcast = None
environments = False
if sys.version_info >= (3, 11):
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec
    environments = all(find_spec(name) for name in ("venv", "ensurepip"))
    try:
        if find_spec("editcast") and find_spec("pygls"):
            editcast = version("editcast")
    except PackageNotFoundError:
        pass
print(json.dumps({
    "path": sys.executable,
    "version": list(sys.version_info[:3]),
    "editcast": editcast,
    "makesEnvironments": environments,
}))
`;

// Generous: a cold start on a busy machine, from a network disk.
const PROBE_TIMEOUT_MS = 60_000;

/**
 * Asks an interpreter what it is.
 *
 * @param command the interpreter and its leading arguments, such as `["py", "-3"]`
 * @throws Error when it does not run or answers nonsense
 */
export async function probe(command: readonly string[]): Promise<Interpreter> {
  const [file = "", ...leading] = command;
  const { stdout } = await promisify(execFile)(file, [...leading, "-c", PROBE], {
    // `-c` searches the working directory for modules, which must therefore not be the workspace:
    // its files are not ours to run.
    cwd: dirname(process.execPath),
    timeout: PROBE_TIMEOUT_MS,
    windowsHide: true,
  });
  // A start-up file of the user's may print lines of its own before ours.
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Interpreter;
}

/** Whether an interpreter of ours has the packages that training needs. */
export async function canTrain(python: string): Promise<boolean> {
  const code = "from importlib.util import find_spec as f; raise SystemExit(not f('torch'))";
  return promisify(execFile)(python, ["-I", "-c", code], { windowsHide: true }).then(
    () => true,
    () => false,
  );
}

export function isRecentEnough(version: Version): boolean {
  const [major, minor] = version;
  return major > MINIMUM_PYTHON[0] || (major === MINIMUM_PYTHON[0] && minor >= MINIMUM_PYTHON[1]);
}

/** Negative, zero or positive, as `a` is older than, the same as or newer than `b`. */
export function compareVersions(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/**
 * Where to look for a Python when the user has named none.
 *
 * A program that is running does not see how an installer changes the path, so the places where
 * installers put a Python, or its launcher, are named too.
 */
export function usualInterpreters(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv = process.env,
): string[][] {
  if (platform === "win32") {
    const local = environment.LOCALAPPDATA;
    return [
      ["py", "-3"],
      ...(local === undefined ? [] : [[win32.join(local, "Programs", "Python", "Launcher", "py.exe"), "-3"]]),
      [win32.join(environment.SystemRoot ?? "C:\\Windows", "py.exe"), "-3"],
      ["python"],
      ["python3"],
    ];
  }
  const installed = platform === "darwin" ? [["/opt/homebrew/bin/python3"], ["/usr/local/bin/python3"]] : [];
  const versions = [14, 13, 12, 11].map((minor) => [`python3.${minor}`]);
  return [["python3"], ["python"], ...installed, ...versions];
}

/**
 * The first candidate that can make environments and is recent enough.
 *
 * @param hasUv whether uv makes them
 * @throws EnvironmentProblem when there is none, saying what the nearest miss lacks
 */
export async function findBase(
  candidates: readonly (readonly string[])[],
  hasUv = false,
): Promise<Interpreter> {
  let recent: Interpreter | undefined;
  let newest: Interpreter | undefined;
  for (const command of candidates) {
    let found: Interpreter;
    try {
      found = await probe(command);
    } catch {
      continue; // not there, or it does not run: the next one may
    }
    if (isRecentEnough(found.version)) {
      if (found.makesEnvironments || hasUv) {
        return found;
      }
      recent ??= found;
    } else if (newest === undefined || compareVersions(newest.version, found.version) < 0) {
      newest = found;
    }
  }
  if (recent !== undefined) {
    throw withoutVenv(recent);
  }
  const install = howToInstall(process.platform);
  if (newest !== undefined) {
    throw new EnvironmentProblem(
      "old-python",
      `Editcast needs Python ${MINIMUM_PYTHON.join(".")} or newer, but ${newest.path} is ` +
        `${newest.version.join(".")}. Install a newer one (${install}), or name one in the setting editcast.python.`,
    );
  }
  throw new EnvironmentProblem(
    "no-python",
    `Editcast needs Python ${MINIMUM_PYTHON.join(".")} or newer, but found none. Install Python (${install}), ` +
      `or name one in the setting editcast.python.`,
  );
}

/** The problem of a Python that cannot make environments. */
export function withoutVenv({ path }: Interpreter): EnvironmentProblem {
  return new EnvironmentProblem(
    "no-venv",
    `${path} cannot create environments: install its venv package (on Debian and Ubuntu, ` +
      `python3-venv) or name another Python in the setting editcast.python.`,
  );
}

const INSTALLERS = {
  "/usr/bin/apt-get": "sudo apt-get install python3 python3-venv",
  "/usr/bin/dnf": "sudo dnf install python3",
  "/usr/bin/pacman": "sudo pacman -S python",
  "/usr/bin/zypper": "sudo zypper install python3",
  "/sbin/apk": "sudo apk add python3",
  "/opt/homebrew/bin/brew": "brew install python",
  "/usr/local/bin/brew": "brew install python",
};

/** The command that installs a Python on this system, or where to get one. */
export function howToInstall(
  platform: NodeJS.Platform,
  exists: (file: string) => boolean = existsSync,
): string {
  if (platform === "win32") {
    return "winget install Python.Python.3.13";
  }
  const found = Object.entries(INSTALLERS).find(([program]) => exists(program));
  return found?.[1] ?? "from python.org";
}
