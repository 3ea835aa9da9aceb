import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";

import {
  compareVersions,
  findBase,
  type Interpreter,
  isRecentEnough,
  probe,
  usualInterpreters,
} from "../src/installation/interpreters";

let folder: string;
const python = process.env.EDITCAST_TEST_PYTHON ?? "python3";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "editcast-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A program that answers the probe as some interpreter would. */
function standIn(name: string, answer: Partial<Interpreter>, noise = ""): string[] {
  const path = join(folder, name);
  const whole = { path, version: [3, 12, 1], editcast: null, makesEnvironments: true, ...answer };
  writeFileSync(path, `#!/bin/sh\nprintf '%s' '${noise}'\necho '${JSON.stringify(whole)}'\n`);
  chmodSync(path, 0o755);
  return [path];
}

describe("an interpreter", () => {
  it("tells its version and path itself", async () => {
    const found = await probe([python]);
    assert.equal(found.version.length, 3);
    assert.ok(isRecentEnough(found.version), "the tests need a Python that the server runs on");
    assert.match(found.path, /python/);
  });

  it("may print lines of its own first", async () => {
    const found = await probe(standIn("chatty", { version: [3, 13, 2] }, "welcome\n"));
    assert.deepEqual(found.version, [3, 13, 2]);
  });

  it("that does not run, or answers nonsense, is an error", async () => {
    await assert.rejects(probe([join(folder, "missing")]), /ENOENT/);
    await assert.rejects(probe([""]), TypeError);
    const path = join(folder, "nonsense");
    writeFileSync(path, "#!/bin/sh\necho hello\n");
    chmodSync(path, 0o755);
    await assert.rejects(probe([path]), SyntaxError);
  });

  it("is recent enough from 3.11 on", () => {
    assert.ok(!isRecentEnough([2, 7, 18]));
    assert.ok(!isRecentEnough([3, 9, 2]));
    assert.ok(!isRecentEnough([3, 10, 12]));
    assert.ok(isRecentEnough([3, 11, 0]));
    assert.ok(isRecentEnough([4, 0, 0]));
  });

  it("compares by number, not by text", () => {
    assert.ok(compareVersions([3, 9, 0], [3, 10, 0]) < 0);
    assert.ok(compareVersions([3, 10, 2], [3, 10, 1]) > 0);
    assert.equal(compareVersions([3, 10, 2], [3, 10, 2]), 0);
  });
});

describe("the search for a base interpreter", () => {
  it("takes the first that will do", async () => {
    const found = await findBase([
      [join(folder, "missing")],
      standIn("old", { version: [3, 9, 2] }),
      standIn("bare", { makesEnvironments: false }),
      standIn("good", { version: [3, 11, 4] }),
      standIn("newer", { version: [3, 13, 0] }),
    ]);
    assert.equal(found.path, join(folder, "good"));
  });

  it("names the newest when all are too old", async () => {
    const search = findBase([
      standIn("oldest", { version: [2, 7, 18] }),
      standIn("old", { version: [3, 10, 1] }),
      standIn("older", { version: [3, 9, 2] }),
    ]);
    await assert.rejects(search, { kind: "old-python", message: /3\.11 or newer.*is 3\.10\.1\. Inst/ });
  });

  it("says which package is missing when no environment can be made", async () => {
    const search = findBase([
      standIn("old", { version: [3, 10, 1] }),
      standIn("bare", { makesEnvironments: false }),
    ]);
    await assert.rejects(search, { kind: "no-venv", message: /bare .*python3-venv/ });
  });

  it("says what to install when there is none", async () => {
    await assert.rejects(findBase([[join(folder, "missing")]]), {
      kind: "no-python",
      message: /found none\. Install Python/,
    });
  });

  it("asks the launcher on Windows, also where it was installed just now", () => {
    const usual = usualInterpreters("win32", { LOCALAPPDATA: "C:\\Users\\A B\\AppData\\Local" });
    assert.deepEqual(usual.slice(0, 3), [
      ["py", "-3"],
      ["C:\\Users\\A B\\AppData\\Local\\Programs\\Python\\Launcher\\py.exe", "-3"],
      ["C:\\Windows\\py.exe", "-3"],
    ]);
    assert.equal(usualInterpreters("win32", {}).length, 4);
  });

  it("asks elsewhere for the versions that are supported, and on macOS where installers put one", () => {
    const linux = ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11"];
    assert.deepEqual(usualInterpreters("linux").flat(), linux);
    const mac = usualInterpreters("darwin").flat();
    assert.deepEqual(mac.slice(2, 4), ["/opt/homebrew/bin/python3", "/usr/local/bin/python3"]);
  });
});
