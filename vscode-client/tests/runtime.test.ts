import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { howToInstall } from "../src/installation/interpreters";
import { type Runtime, runtimeFor } from "../src/installation/runtime";

describe("the packages for a machine", () => {
  const driver = "/proc/driver/nvidia/version";
  const windows = "C:\\Windows\\System32\\nvcuda.dll";
  const table: [string, NodeJS.Platform, string, string[], Runtime][] = [
    ["auto", "linux", "x64", [], "cpu"],
    ["auto", "linux", "x64", [driver], "gpu"],
    ["auto", "win32", "x64", [windows], "gpu"],
    ["auto", "win32", "x64", [driver], "cpu"],
    ["auto", "linux", "arm64", [driver], "cpu"],
    ["auto", "darwin", "arm64", [], "cpu"],
    ["cpu", "linux", "x64", [driver], "cpu"],
    ["cuda", "linux", "x64", [], "gpu"],
    ["cuda", "darwin", "arm64", [], "cpu"],
  ];
  for (const [device, platform, architecture, files, expected] of table) {
    it(`are for the ${expected}: ${device}, ${platform}-${architecture}, driver: ${files.join()}`, () => {
      assert.equal(runtimeFor(device, platform, architecture, (file) => files.includes(file)), expected);
    });
  }
});

describe("the way to a Python", () => {
  it("is the system's own installer", () => {
    assert.equal(howToInstall("linux", (file) => file === "/usr/bin/dnf"), "sudo dnf install python3");
    assert.equal(howToInstall("darwin", () => false), "from python.org");
    assert.match(howToInstall("win32", () => false), /^winget install/);
  });
});
