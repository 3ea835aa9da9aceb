// The Python environment of our own, made from the bundled wheel when no Python has the server, and
// from packages of which each is known by its hash: an index can refuse them, but not change them.
// Knows processes and files only, not VS Code, so that its tests run in plain Node.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { explainFailure } from "./failures";
import { EnvironmentProblem, type Interpreter, probe } from "./interpreters";
import { addPackages, DOWNLOADS, environmentPython, makeEnvironment, type Surroundings, trim } from "./packages";
import { type Runtime, SIZES } from "./runtime";

/** What the extension brings along to make an environment from. */
export interface Bundled {
  runtime: Runtime;
  /** What the server needs, the wheel beside this file included, each with its hashes. */
  server: string;
  /** The same, and what training needs; PyTorch for the processor is on an index of its own. */
  training: string[];
}

/** The lists of hashed requirements that lie beside the server's wheel in the extension. */
export function bundledRequirements(extensionFolder: string, runtime: Runtime): Bundled {
  const list = (name: string): string => join(extensionFolder, "server", `requirements${name}.txt`);
  return runtime === "gpu"
    ? { runtime, server: list("-gpu"), training: [list("-train-gpu")] }
    : { runtime, server: list(""), training: [list("-train"), list("-torch")] };
}

/**
 * Written last, so that an environment cut short is never taken for a whole one. Its time of change
 * is when the environment was last used.
 */
const COMPLETE = "editcast-complete";

/** An environment that no window has started with for so long is not coming back. */
const UNUSED_MS = 30 * 24 * 3600_000;

/** The folder of the environment that has exactly what is listed. */
async function folderOf({ server }: Bundled, root: string): Promise<string> {
  const digest = createHash("sha256").update(await readFile(server)).digest("hex").slice(0, 16);
  return join(root, `server-${digest}`);
}

/** The Python of the environment that has exactly what is listed, or undefined: it is not made. */
export async function madeEnvironment(bundled: Bundled, root: string): Promise<string | undefined> {
  const folder = await folderOf(bundled, root);
  const python = environmentPython(folder);
  if (!(await isUsable(folder, python))) {
    return undefined;
  }
  const now = new Date();
  await utimes(join(folder, COMPLETE), now, now);
  return python;
}

/**
 * Makes the environment that has exactly what is listed.
 *
 * Several windows may ask at once: each makes its own beside the others, and the first to finish
 * gives it the final name.
 *
 * @returns its Python
 * @throws EnvironmentProblem
 */
export async function newEnvironment(
  bundled: Bundled,
  base: Interpreter,
  surroundings: Surroundings,
): Promise<string> {
  const { root, report } = surroundings;
  let partial: string | undefined;
  try {
    const folder = await folderOf(bundled, root);
    const python = environmentPython(folder);
    await mkdir(root, { recursive: true });
    partial = await mkdtemp(join(root, "making-"));
    report(`Creating an environment with ${base.path}`);
    await makeEnvironment(partial, base.path, bundled.server, SIZES[bundled.runtime].server, surroundings);
    await trim(partial, bundled.runtime);
    await writeFile(join(partial, COMPLETE), "");
    if (!(await isUsable(folder, python))) {
      await rm(folder, { recursive: true, force: true });
      await rename(partial, folder);
    }
    await removeDownloads(root);
    return python;
  } catch (error) {
    throw await explained(error, base, root);
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
  const names = (await readdir(root)).filter((name) => /^(server|making)-|^downloads$/.test(name));
  for (const folder of names.map((name) => join(root, name))) {
    const mark = join(folder, COMPLETE);
    const { mtimeMs } = await stat(existsSync(mark) ? mark : folder);
    if (environmentPython(folder) !== python && Date.now() - mtimeMs > UNUSED_MS) {
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
  { runtime, training }: Bundled,
  surroundings: Surroundings,
): Promise<void> {
  const folder = dirname(dirname(python));
  try {
    await addPackages(folder, training, SIZES[runtime].training, surroundings);
    await trim(folder, runtime);
    await removeDownloads(surroundings.root);
  } catch (error) {
    throw await explained(error, await probe([python]), surroundings.root);
  }
}

/** The problem behind a failure. Only what the network interrupted goes on where it was, if it is tried again. */
async function explained(error: unknown, base: Interpreter, root: string): Promise<EnvironmentProblem> {
  const problem = explainFailure(error, base, root);
  if (problem.kind !== "no-network") {
    await removeDownloads(root).catch(() => undefined); // its folder may not even be one
  }
  return problem;
}

async function removeDownloads(root: string): Promise<void> {
  await rm(join(root, DOWNLOADS), { recursive: true, force: true });
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
