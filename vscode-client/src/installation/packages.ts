// Makes virtual environments and installs listed packages into them: with uv where it is there, and
// with pip otherwise. Knows processes and files only, not VS Code, so that its tests run in plain Node.

import { execFile, spawn } from "node:child_process";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import type { Runtime, Size } from "./runtime";

/** Where an installation takes place, and who is told of it. */
export interface Surroundings {
  /** A folder of our own, made if missing. */
  root: string;
  /** Told what the programs say, a line at a time. */
  report: (line: string) => void;
  /** Told how far it is: a sentence, and a share of 1. */
  progress?: (words: string, done: number) => void;
  signal: AbortSignal;
  /** The program uv, or nothing to go without. */
  uv?: string | undefined;
}

/** Nothing but what is listed, and no build, which would run code that no hash is known of. */
const AS_LISTED = ["--require-hashes", "--no-deps", "--only-binary", ":all:"];
/** pip as Python brings it, run from its wheel: the environment need not have it. */
const RUN_PIP = `
import ensurepip, pathlib, runpy, sys, sysconfig
folders = [pathlib.Path(ensurepip.__file__).parent / "_bundled", "/usr/share/python-wheels"]
folders.append(sysconfig.get_config_var("WHEEL_PKG_DIR") or folders[0])
wheels = [str(wheel) for folder in folders for wheel in pathlib.Path(folder).glob("pip-*.whl")]
if not wheels:
    sys.exit("ensurepip is not available: it has no pip")
sys.path.insert(0, wheels[0])
sys.argv[0] = "pip"
runpy.run_module("pip", run_name="__main__", alter_sys=True)
`;
const PIP_INSTALL = [
  ...["-I", "-c", RUN_PIP, "--no-input", "--disable-pip-version-check"],
  ...["install", "--no-compile", "--progress-bar", "off", ...AS_LISTED],
];
/** In our own folder, while an installation goes on and after one that lost the network: what was downloaded. */
export const DOWNLOADS = "downloads";
const PROGRESS_MS = 500;

/** The interpreter inside an environment made by `python -m venv`. */
export function environmentPython(folder: string, platform: NodeJS.Platform = process.platform): string {
  return platform === "win32"
    ? join(folder, "Scripts", "python.exe")
    : join(folder, "bin", "python");
}

/** The program uv, from the path or where its installers put it, or undefined. */
export async function findUv(): Promise<string | undefined> {
  const homes = [join(homedir(), ".local", "bin", "uv"), join(homedir(), ".cargo", "bin", "uv")];
  for (const candidate of ["uv", ...homes]) {
    try {
      await promisify(execFile)(candidate, ["--version"], { windowsHide: true });
      return candidate;
    } catch {
      continue;
    }
  }
  return undefined;
}

/**
 * Makes an environment in an empty folder and installs what a file lists.
 *
 * @param size about what it takes, for the progress
 * @throws Error whose message is the failed program's output
 */
export async function makeEnvironment(
  folder: string,
  base: string,
  list: string,
  size: Size,
  surroundings: Surroundings,
): Promise<void> {
  const { uv, report, signal } = surroundings;
  if (uv !== undefined) {
    try {
      await run(uv, ["venv", "--quiet", "--no-project", "--allow-existing", "--python", base, folder], surroundings);
      await installWithUv(uv, folder, list, size, surroundings);
      return;
    } catch (error) {
      if (signal.aborted) {
        throw error;
      }
      report("uv failed; trying pip, which may use another index");
    }
  }
  await run(base, ["-I", "-m", "venv", "--clear", "--without-pip", folder], surroundings);
  await addPackages(folder, [list], size, surroundings);
}

/** Installs what files list into an environment that is there, as `makeEnvironment` does. */
export async function addPackages(
  folder: string,
  lists: readonly string[],
  size: Size,
  surroundings: Surroundings,
): Promise<void> {
  for (const list of lists) {
    await installWithPip(folder, list, size, surroundings);
  }
}

async function installWithUv(
  uv: string,
  folder: string,
  list: string,
  size: Size,
  surroundings: Surroundings,
): Promise<void> {
  const downloads = join(surroundings.root, DOWNLOADS);
  // It unpacks while it downloads.
  await watched(folder, downloads, size.disk / size.download, size, surroundings, () => {
    const place = ["--python", environmentPython(folder), "--cache-dir", downloads];
    return run(uv, ["pip", "install", "--quiet", ...place, ...AS_LISTED, "-r", list], surroundings, dirname(list));
  });
}

async function installWithPip(
  folder: string,
  list: string,
  size: Size,
  surroundings: Surroundings,
): Promise<void> {
  const downloads = join(folder, "temporary");
  const temporary = { TMPDIR: downloads, TEMP: downloads, TMP: downloads };
  const cache = ["--cache-dir", join(surroundings.root, DOWNLOADS)];
  await mkdir(downloads, { recursive: true });
  try {
    await watched(folder, downloads, 1, size, surroundings, () =>
      run(environmentPython(folder), [...PIP_INSTALL, ...cache, "-r", list], surroundings, dirname(list), temporary),
    );
  } finally {
    await rm(downloads, { recursive: true, force: true });
  }
}

/** Packages' own tests, stubs and headers; tools that the server never imports. */
const UNNEEDED = [
  /\/tests$/,
  /\.(pyi|pxd|h|a)$/,
  /\/numpy\/(distutils|_core\/(_simd|\w+_tests)\.[^/]*)$/,
  /\/onnxruntime\/(backend|datasets|quantization|tools|transformers)$/,
  /\/pygments\/lexers\/(?!_|python\.py|special\.py)[^/]*$/,
];
/** What ONNX Runtime's wheel for the processor brings for programs in C, beside the library that Python loads. */
const FOR_PROGRAMS_IN_C = /\/onnxruntime\/capi\/libonnxruntime\.so[^/]*$/;

/** Removes from an environment what the server does not need: a third of it. */
export async function trim(folder: string, runtime: Runtime): Promise<void> {
  const unneeded = runtime === "cpu" ? [...UNNEEDED, FOR_PROGRAMS_IN_C] : UNNEEDED;
  for (const { parentPath, name } of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(parentPath, name);
    const posix = path.replaceAll("\\", "/");
    if (posix.includes("/site-packages/") && unneeded.some((pattern) => pattern.test(posix))) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

/** Megabytes that the files of a folder hold; what goes meanwhile does not count. */
export async function megabytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1e6;
}

/**
 * Tells how far an installation is while it runs, by what lies in its folders.
 *
 * @param downloads where its downloads are
 * @param factor megabytes in that folder for each that came over the network
 */
async function watched(
  folder: string,
  downloads: string,
  factor: number,
  size: Size,
  { progress }: Surroundings,
  install: () => Promise<void>,
): Promise<void> {
  let stopped = false;
  const look = async (before: number): Promise<void> => {
    while (!stopped && progress !== undefined) {
      const kept = await megabytes(downloads);
      const inside = downloads.startsWith(folder) ? kept : 0;
      const unpacked = (await megabytes(folder)) - inside - before;
      const downloaded = Math.min(size.download, kept / factor);
      const done = (downloaded + Math.max(0, unpacked)) / (size.download + size.disk);
      const words =
        unpacked < 0.1 * size.disk
          ? `downloading, ${Math.round(downloaded)} of about ${size.download} MB`
          : `unpacking, ${Math.round(unpacked)} of about ${size.disk} MB`;
      progress(words, Math.min(0.99, done));
      await new Promise((resolve) => setTimeout(resolve, PROGRESS_MS));
    }
  };
  void megabytes(folder).then(look);
  try {
    await install();
  } finally {
    stopped = true;
  }
}

/** Runs a program to its end; its output is the message of the error when it fails. */
async function run(
  file: string,
  parameters: readonly string[],
  { root, report, signal }: Surroundings,
  cwd = root,
  environment: Record<string, string> = {},
): Promise<void> {
  const lines: string[] = [];
  const child = spawn(file, parameters, {
    cwd,
    signal,
    env: { ...process.env, ...environment },
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
