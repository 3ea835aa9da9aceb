import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { explainFailure } from "../src/installation/failures";
import type { Interpreter } from "../src/installation/interpreters";

describe("a failed installation", () => {
  const base: Interpreter = {
    path: "/usr/bin/python3",
    version: [3, 15, 0],
    editcast: null,
    makesEnvironments: true,
  };
  const cases: [string, string, RegExp][] = [
    [
      "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
      "no-disk",
      /not enough space .* in \/storage/,
    ],
    ["ENOSPC: no space left on device, mkdir '/storage'", "no-disk", /not enough space/],
    ["Error: [Errno 28] No space left on device: '/storage/making-x/lib64'", "no-disk", /Free some space/],
    [
      "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/storage'",
      "no-permission",
      /cannot write there\. Correct the permissions/,
    ],
    [
      "The virtual environment was not created successfully because ensurepip is not available.",
      "no-venv",
      /python3-venv/,
    ],
    [
      "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'\n" +
        "ERROR: No matching distribution found for pygls>=2.0",
      "no-network",
      /Connect to the network/,
    ],
    [
      "socket.gaierror: [Errno -3] Temporary failure in name resolution",
      "no-network",
      /or set pip's proxy or index/,
    ],
    [
      "ERROR: Could not find a version that satisfies the requirement onnxruntime>=1.20\n" +
        "ERROR: No matching distribution found for onnxruntime>=1.20",
      "no-packages",
      /no packages .* for Python 3\.15\.0/,
    ],
    ["ERROR: Exception: Connection broken: IncompleteRead(5 bytes read, 9 more expected)", "no-network", /retry/],
    ["Collecting pygls\nERROR: the wheel is broken\n", "install-failed", /the wheel is broken/],
  ];
  for (const [output, kind, sentence] of cases) {
    it(`is explained: ${kind}, from "${output.slice(0, 40)}"`, () => {
      const problem = explainFailure(output, base, "/storage");
      assert.equal(problem.kind, kind);
      assert.match(problem.message, sentence);
    });
  }
});
