// Why an environment could not be made, as one sentence that says what to do.

import { EnvironmentProblem, type Interpreter } from "./interpreters";

/** The problem behind an installation that failed or was cancelled. */
export function explainFailure(error: unknown, base: Interpreter, root: string): EnvironmentProblem {
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
      `There is no room for the Editcast server in ${root}: make room and retry.`,
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
    /Failed to establish a new connection|name resolution|getaddrinfo failed/.test(output) ||
    /Connection (aborted|broken|reset)|IncompleteRead|RemoteDisconnected/.test(output)
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
