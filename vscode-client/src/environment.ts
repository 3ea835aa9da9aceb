// The Python environment of our own, made from the bundled wheel when no Python has the server, and
// from packages of which each is known by its hash: an index can refuse them, but not change them.
// Knows processes and files only, not VS Code, so that its tests run in plain Node.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

import { EnvironmentProblem, type Interpreter, probe } from "./interpreters";

/** The interpreter inside an environment made by `python -m venv`. */
export function environmentPython(folder: string, platform: NodeJS.Platform): string {
  return platform === "win32"
    ? join(folder, "Scripts", "python.exe")
    : join(folder, "bin", "python");
}

/** What the extension brings along to make an environment from. */
export interface Bundled {
  /** What the server needs, the wheel beside this file included, each with its hashes. */
  server: string;
  /** The same, and what training needs. */
  training: string;
}

/** The lists of hashed requirements that lie beside the server's wheel in the extension. */
export function bundledRequirements(extensionFolder: string): Bundled {
  const folder = join(extensionFolder, "server");
  const server = join(folder, "requirements.txt");
  if (!existsSync(server)) {
    throw new EnvironmentProblem(
      "no-wheel",
      "This build of the Editcast extension brings no server: reinstall the extension, or name a " +
        "Python that has Editcast in the setting editcast.python.",
    );
  }
  return { server, training: join(folder, "requirements-train.txt") };
}

/**
 * Written last, so that an environment cut short is never taken for a whole one. Its time of change
 * is when the environment was last used.
 */
const COMPLETE = "editcast-complete";

/** An environment that no window has started with for so long is not coming back. */
const UNUSED_MS = 30 * 24 * 3600_000;

/** Where an installation takes place, and who is told of it. */
export interface Surroundings {
  /** A folder of our own, made if missing. */
  root: string;
  /** Told what is going on, a line at a time. */
  report: (line: string) => void;
  signal: AbortSignal;
}

const PIP_INSTALL = [
  "-I",
  ...["-m", "pip", "install"],
  ...["--no-input", "--disable-pip-version-check", "--progress-bar", "off"],
  // Nothing but what is listed, and no build, which would run code that no hash is known of.
  ...["--require-hashes", "--no-deps", "--only-binary", ":all:"],
];

/**
 * The Python of an environment that has exactly what is listed, made now if it is not there.
 *
 * Several windows may ask at once: each makes its own beside the others, and the first to finish
 * gives it the final name.
 *
 * @throws EnvironmentProblem
 */
export async function ownEnvironment(
  { server }: Bundled,
  findInterpreter: () => Promise<Interpreter>,
  surroundings: Surroundings,
): Promise<string> {
  const { root, report } = surroundings;
  const digest = createHash("sha256").update(await readFile(server)).digest("hex").slice(0, 16);
  const folder = join(root, `server-${digest}`);
  const python = environmentPython(folder, process.platform);
  if (await isUsable(folder, python)) {
    const now = new Date();
    await utimes(join(folder, COMPLETE), now, now);
    return python;
  }
  const base = await findInterpreter();
  let partial: string | undefined;
  try {
    await mkdir(root, { recursive: true });
    partial = await mkdtemp(join(root, "making-"));
    report(`Making an environment with ${base.path}`);
    await run(base.path, ["-I", "-m", "venv", partial], surroundings);
    const inside = environmentPython(partial, process.platform);
    await install(inside, server, surroundings);
    await writeFile(join(partial, COMPLETE), "");
    if (!(await isUsable(folder, python))) {
      await rm(folder, { recursive: true, force: true });
      await rename(partial, folder);
    }
    return python;
  } catch (error) {
    throw explain(error, base, root);
  } finally {
    if (partial !== undefined) {
      await rm(partial, { recursive: true, force: true });
    }
  }
}

/**
 * Removes the environments of other versions, and what is left of interrupted installations, unless
 * they were used within 30 days: until then a downgrade needs no network, and the windows that an
 * update found open keep what they run on.
 */
export async function removeUnused(root: string, python: string): Promise<void> {
  const names = (await readdir(root)).filter((name) => /^(server|making)-/.test(name));
  for (const folder of names.map((name) => join(root, name))) {
    const mark = join(folder, COMPLETE);
    const { mtimeMs } = await stat(existsSync(mark) ? mark : folder);
    if (environmentPython(folder, process.platform) !== python && Date.now() - mtimeMs > UNUSED_MS) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/**
 * Adds what training needs to an environment of our own.
 *
 * @throws EnvironmentProblem
 */
export async function addTraining(
  python: string,
  { training }: Bundled,
  surroundings: Surroundings,
): Promise<void> {
  try {
    await install(python, training, surroundings);
  } catch (error) {
    throw explain(error, await probe([python]), surroundings.root);
  }
}

/** A whole environment whose Python is still there: an upgrade of the system may take it away. */
async function isUsable(folder: string, python: string): Promise<boolean> {
  if (!existsSync(join(folder, COMPLETE))) {
    return false;
  }
  try {
    return (await probe([python])).editcast !== null;
  } catch {
    return false;
  }
}

/** Installs what a file lists; it names the wheel relative to its own folder. */
async function install(python: string, file: string, surroundings: Surroundings): Promise<void> {
  await run(python, [...PIP_INSTALL, "-r", file], surroundings, dirname(file));
}

/** Runs a program to its end; its output is the message of the error when it fails. */
async function run(
  file: string,
  parameters: readonly string[],
  { root, report, signal }: Surroundings,
  cwd = root,
): Promise<void> {
  const lines: string[] = [];
  const child = spawn(file, parameters, {
    cwd,
    signal,
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      report(line);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) {
    throw new Error(lines.join("\n"));
  }
}

function explain(error: unknown, base: Interpreter, root: string): EnvironmentProblem {
  if (error instanceof Error && error.name === "AbortError") {
    return new EnvironmentProblem(
      "cancelled",
      "The installation was cancelled: retry when you want Editcast to go on.",
    );
  }
  return explainInstallFailure(error instanceof Error ? error.message : String(error), base, root);
}

/** One sentence for what went wrong, read from the output of venv, pip or the file system. */
export function explainInstallFailure(
  output: string,
  base: Interpreter,
  root: string,
): EnvironmentProblem {
  if (/ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|not enough space/i.test(output)) {
    return new EnvironmentProblem(
      "no-disk",
      `There is no room for the Editcast server in ${root}: free about 1 GB and retry.`,
    );
  }
  if (/EACCES|EPERM|EROFS|Permission denied|Read-only file system/i.test(output)) {
    return new EnvironmentProblem(
      "no-permission",
      `The Editcast server cannot be installed in ${root}, which you may not write to: correct the ` +
        `permissions of that folder and retry.`,
    );
  }
  if (/ensurepip is not available|No module named '?(venv|ensurepip)/i.test(output)) {
    return new EnvironmentProblem(
      "no-venv",
      `${base.path} cannot make environments: install its venv package (on Debian and Ubuntu, ` +
        `python3-venv) or name another Python in the setting editcast.python.`,
    );
  }
  if (
    /NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError|SSLError|Max retries exceeded/.test(
      output,
    ) ||
    /Failed to establish a new connection|name resolution|getaddrinfo failed/.test(output)
  ) {
    return new EnvironmentProblem(
      "no-network",
      "The Python package index could not be reached, from which the Editcast server's packages " +
        "come: connect to the network, or set pip's proxy or index, and retry.",
    );
  }
  if (output.includes("DO NOT MATCH THE HASHES")) {
    return new EnvironmentProblem(
      "wrong-package",
      "A package that the index gave is not the one that Editcast was tested with, so nothing was " +
        "installed: set pip's index to the Python package index or a faithful mirror, and retry.",
    );
  }
  if (/Could not find a version|No matching distribution|requires a different Python/.test(output)) {
    return new EnvironmentProblem(
      "no-packages",
      `Packages of the Editcast server are missing for Python ${base.version.join(".")} on this ` +
        `machine: name another Python in the setting editcast.python.`,
    );
  }
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const reason = lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? "no reason given";
  return new EnvironmentProblem(
    "install-failed",
    `Installing the Editcast server failed (${reason.trim()}): see the log, then retry.`,
  );
}
