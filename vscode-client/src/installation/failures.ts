// Why an environment could not be made, with what the user can do.

import { EnvironmentProblem, type Interpreter, withoutVenv } from "./interpreters";

/** Explains an installation that failed or was cancelled, from the output of venv, pip or the file system. */
export function explainFailure(error: unknown, base: Interpreter, root: string): EnvironmentProblem {
  if (error instanceof Error && error.name === "AbortError") {
    return new EnvironmentProblem(
      "cancelled",
      "The installation was cancelled. Retry when you want to install Editcast.",
    );
  }
  const output = error instanceof Error ? error.message : String(error);
  if (/ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|not enough space/i.test(output)) {
    return new EnvironmentProblem(
      "no-disk",
      `There is not enough space for the Editcast server in ${root}. Free some space and retry.`,
    );
  }
  if (/EACCES|EPERM|EROFS|Permission denied|Read-only file system/i.test(output)) {
    return new EnvironmentProblem(
      "no-permission",
      `The Editcast server cannot be installed in ${root}, since you cannot write there. Correct the ` +
        `permissions of that folder and retry.`,
    );
  }
  if (/ensurepip is not available|No module named '?(venv|ensurepip)/i.test(output)) {
    return withoutVenv(base);
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
      "The Python package index could not be reached. It provides the packages of the Editcast server. " +
        "Connect to the network, or set pip's proxy or index, and retry.",
    );
  }
  if (output.includes("DO NOT MATCH THE HASHES")) {
    return new EnvironmentProblem(
      "wrong-package",
      "A package from the index is not the one that Editcast was tested with, so nothing was " +
        "installed. Set pip's index to the Python package index or a faithful mirror, and retry.",
    );
  }
  if (/Could not find a version|No matching distribution|requires a different Python/.test(output)) {
    return new EnvironmentProblem(
      "no-packages",
      `There are no packages of the Editcast server for Python ${base.version.join(".")} on this ` +
        `machine. Name another Python in the setting editcast.python.`,
    );
  }
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const reason = lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? "no reason given";
  return new EnvironmentProblem(
    "install-failed",
    `The installation of the Editcast server failed (${reason.trim()}). See the log, then retry.`,
  );
}
