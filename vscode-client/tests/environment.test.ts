import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";

import {
  addTraining,
  type Bundled,
  bundledRequirements,
  madeEnvironment,
  newEnvironment,
  removeUnused,
} from "../src/installation/environment";
import { EnvironmentProblem, findBase } from "../src/installation/interpreters";
import { environmentPython, type Surroundings } from "../src/installation/packages";

let folder: string;
// `make test` names the Python of its own environment; by hand the first on the path will do.
const python = process.env.EDITCAST_TEST_PYTHON ?? "python3";
const make = async (bundled: Bundled, surroundings: Surroundings): Promise<string> =>
  newEnvironment(bundled, await findBase([[python]]), surroundings);

function inside(root: string, report: (line: string) => void = () => undefined): Surroundings {
  return { root, report, signal: new AbortController().signal };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "editcast-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Sends pip to a port that nothing listens on: what it meets without a network. */
function withoutIndex(context: TestContext): void {
  const before = { ...process.env };
  Object.assign(process.env, { PIP_INDEX_URL: "http://127.0.0.1:9/", PIP_RETRIES: "1" });
  context.after(() => {
    process.env = before;
  });
}

/** A wheel that pip installs like any other, with one empty module of its name. */
function makeWheel(into: string, name: string, requirement?: string, files: string[] = []): string {
  mkdirSync(into, { recursive: true });
  const wheel = join(into, `${name}-0.1.0-py3-none-any.whl`);
  const metadata = [
    "Metadata-Version: 2.1",
    `Name: ${name}`,
    "Version: 0.1.0",
    ...(requirement === undefined ? [] : [`Requires-Dist: ${requirement}`]),
    "",
  ].join("\n");
  const script = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    for file in sys.argv[4:] or [sys.argv[2] + ".py"]:
        wheel.writestr(file, "")
    if sys.argv[2] == "editcast":
        wheel.writestr("pygls.py", "")  # by which the probe knows a whole installation
    info = sys.argv[2] + "-0.1.0.dist-info/"
    wheel.writestr(info + "METADATA", sys.argv[3])
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "RECORD", "")
`;
  execFileSync(python, ["-c", script, wheel, name, metadata, ...files]);
  return wheel;
}

function hashOf(file: string): string {
  return `--hash=sha256:${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
}

/** The names of all that is installed beside an interpreter. */
function distributions(interpreter: string): string[] {
  const code = "from importlib.metadata import distributions as d; print(*sorted(x.name for x in d()))";
  return execFileSync(interpreter, ["-I", "-c", code]).toString().trim().split(" ");
}

/** What an extension brings: a server, and lists of what it and training need besides. */
function bundle(server: string[] = [], training: string[] = [], requirement?: string): Bundled {
  const extension = join(folder, "extension");
  const wheel = makeWheel(join(extension, "server"), "editcast", requirement);
  const own = `./${basename(wheel)} ${hashOf(wheel)}`;
  const lists = {
    "requirements.txt": [...server, own],
    "requirements-train.txt": [...server, own],
    "requirements-torch.txt": training,
  };
  for (const [name, listed] of Object.entries(lists)) {
    writeFileSync(join(extension, "server", name), [...listed, ""].join("\n"));
  }
  return bundledRequirements(extension, "cpu");
}

/** A package index of files, which the user's own pip configuration names; returns its files. */
function mirror(context: TestContext, name: string): string {
  const files = join(folder, "mirror", name);
  mkdirSync(files, { recursive: true });
  const configuration = join(folder, "pip.conf");
  writeFileSync(configuration, `[global]\nindex-url = ${pathToFileURL(join(folder, "mirror")).href}\n`);
  const before = { ...process.env };
  process.env.PIP_CONFIG_FILE = configuration;
  context.after(() => {
    process.env = before;
  });
  return files;
}

/** Lets the mirror offer a file. */
function offer(files: string, name: string): void {
  writeFileSync(join(files, "index.html"), `<a href="${name}">${name}</a>`);
}

describe("an environment of our own", () => {
  let root: string;
  beforeEach(() => {
    root = join(folder, "storage");
  });

  it("is made from the wheel once, used again, and made again when its Python is gone", async () => {
    const bundled = bundle();
    const lines: string[] = [];
    const report = (line: string): void => {
      lines.push(line);
    };
    const first = await make(bundled, inside(root, report));
    assert.match(execFileSync(first, ["-c", "import editcast; print(editcast.__file__)"]).toString(), /server-/);
    assert.ok(lines.some((line) => line.startsWith("Successfully installed editcast-0.1.0")));
    const mark = join(first, "..", "..", "editcast-complete");
    utimesSync(mark, 0, 0);
    assert.equal(await madeEnvironment(bundled, root), first);
    assert.ok(statSync(mark).mtimeMs > 0, "it is known when it was last used");
    rmSync(first);
    symlinkSync("/nonexistent/python", first);
    assert.equal(await madeEnvironment(bundled, root), undefined);
    assert.equal(await make(bundled, inside(root, report)), first);
    execFileSync(first, ["-c", "import editcast"]);
    assert.equal(readdirSync(root).length, 1, "no half-made environment is left");
  });

  it("has what is listed, from the index that the user's pip goes to, and nothing else", async (context) => {
    const files = mirror(context, "needed");
    const needed = makeWheel(files, "needed", "huggingface-hub");
    offer(files, basename(needed));
    const bundled = bundle([`needed==0.1.0 ${hashOf(needed)}`], [], "httpx");
    const made = await make(bundled, inside(root));
    execFileSync(made, ["-I", "-c", "import editcast, needed"]);
    assert.deepEqual(distributions(made), ["editcast", "needed"]);
  });

  it("is made by uv where that is there, and by pip where uv fails", async () => {
    const uv = execFileSync(python, ["-c", "import uv; print(uv.find_uv_bin())"]).toString().trim();
    for (const [program, expected] of [[uv, "uv\n"], [join(folder, "no-uv"), "pip\n"]] as const) {
      const own = join(root, basename(program));
      const made = await make(bundle(), { ...inside(own), uv: program });
      const installer = "from importlib.metadata import distribution as d; print(d('editcast').read_text('INSTALLER').strip())";
      assert.equal(execFileSync(made, ["-I", "-c", installer]).toString(), expected);
      assert.deepEqual(distributions(made), ["editcast"]);
      assert.ok(!existsSync(join(made, "..", "..", "temporary")) && !existsSync(join(own, "downloads")));
    }
  });

  it("tells how far it is in megabytes", async () => {
    const told: [string, number][] = [];
    const progress = (words: string, done: number): void => {
      told.push([words, done]);
    };
    await make(bundle(), { ...inside(root), progress });
    assert.ok(told.length > 0);
    for (const [words, done] of told) {
      assert.match(words, /^(downloading|unpacking), \d+ of about \d+ MB$/);
      assert.ok(done >= 0 && done < 1);
    }
  });

  it("has no tests and tools of packages, no stubs, and no library that only programs in C load", async (context) => {
    const files = mirror(context, "onnxruntime");
    const kept = ["onnxruntime/__init__.py", "onnxruntime/capi/state.so"];
    const left = ["onnxruntime/tools/it.py", "onnxruntime/tests/test_it.py", "onnxruntime/it.pyi", "onnxruntime/capi/libonnxruntime.so.1"];
    const wheel = makeWheel(files, "onnxruntime", undefined, [...kept, ...left]);
    offer(files, basename(wheel));
    const made = await make(bundle([`onnxruntime==0.1.0 ${hashOf(wheel)}`]), inside(root));
    const where = "import onnxruntime; print(onnxruntime.__path__[0])";
    const site = dirname(execFileSync(made, ["-I", "-c", where]).toString().trim());
    assert.deepEqual([...kept, ...left].filter((file) => existsSync(join(site, file))), kept);
  });

  it("takes no package of another content", async (context) => {
    const files = mirror(context, "needed");
    const needed = makeWheel(files, "needed");
    offer(files, basename(needed));
    const bundled = bundle([`needed==0.1.0 ${hashOf(needed)}`]);
    makeWheel(files, "needed", "something-else");
    await assert.rejects(make(bundled, inside(root)), {
      kind: "wrong-package",
      message: /nothing was installed\. Set pip's index/,
    });
    assert.deepEqual(readdirSync(root), []);
  });

  it("takes no wheel of Editcast but the one that it was packaged with", async () => {
    const bundled = bundle();
    makeWheel(dirname(bundled.server), "editcast", "something-else");
    await assert.rejects(make(bundled, inside(root)), { kind: "wrong-package" });
  });

  it("builds nothing, even from sources of the right content", async (context) => {
    const files = mirror(context, "needed");
    const sources = join(files, "needed-0.1.0.tar.gz");
    writeFileSync(sources, "");
    offer(files, basename(sources));
    const bundled = bundle([`needed==0.1.0 ${hashOf(sources)}`]);
    await assert.rejects(make(bundled, inside(root)), { kind: "no-packages" });
  });

  it("gets what training needs from the package index, when that can be reached", async (context) => {
    const files = mirror(context, "needed");
    const needed = makeWheel(files, "needed");
    const bundled = bundle([], [`needed==0.1.0 ${hashOf(needed)}`]);
    const made = await make(bundled, inside(root));
    offer(files, basename(needed));
    await addTraining(made, bundled, inside(root));
    execFileSync(made, ["-I", "-c", "import editcast, needed"]);
  });

  it("is as it was when what training needs cannot be reached", async (context) => {
    const bundled = bundle([], [`needed==0.1.0 --hash=sha256:${"0".repeat(64)}`]);
    const made = await make(bundled, inside(root));
    withoutIndex(context);
    await assert.rejects(addTraining(made, bundled, inside(root)), { kind: "no-network" });
    execFileSync(made, ["-I", "-c", "import editcast"]);
  });

  it("says that the package index cannot be reached", async (context) => {
    const bundled = bundle([`needed==0.1.0 --hash=sha256:${"0".repeat(64)}`]);
    withoutIndex(context);
    await assert.rejects(make(bundled, inside(root)), {
      kind: "no-network",
      message: /Connect to the network, .* and retry/,
    });
    assert.deepEqual(readdirSync(root), []);
  });

  it("goes on where the network was lost", async (context) => {
    const wheels = ["first", "second"].map((name) => makeWheel(join(folder, "files"), name));
    const asked: string[] = [];
    const server = createServer((request, response) => {
      const name = request.url?.split("/").filter(Boolean).at(-1) ?? "";
      asked.push(name);
      const file = wheels.find((wheel) => basename(wheel) === name);
      if (file !== undefined && name.startsWith("second") && asked.filter((one) => one === name).length === 1) {
        request.socket.destroy();
      } else if (file !== undefined) {
        response.setHeader("Cache-Control", "max-age=3600").end(readFileSync(file));
      } else {
        const found = wheels.map((wheel) => basename(wheel)).filter((wheel) => wheel.startsWith(name));
        response.setHeader("Content-Type", "text/html");
        response.end(found.map((wheel) => `<a href="/${wheel}">${wheel}</a>`).join(""));
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    context.after(() => server.close());
    withoutIndex(context);
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    Object.assign(process.env, { PIP_INDEX_URL: url, PIP_TRUSTED_HOST: "127.0.0.1", PIP_RETRIES: "0" });
    const bundled = bundle(wheels.map((wheel, index) => `${["first", "second"][index]}==0.1.0 ${hashOf(wheel)}`));
    await assert.rejects(make(bundled, inside(root)), { kind: "no-network" });
    assert.deepEqual(readdirSync(root), ["downloads"]);
    const made = await make(bundled, inside(root));
    execFileSync(made, ["-I", "-c", "import editcast, first, second"]);
    const first = basename(wheels[0] ?? "");
    assert.equal(asked.filter((name) => name === first).length, 1, "it was kept");
    assert.deepEqual(readdirSync(root).map((name) => name.slice(0, 7)), ["server-"]);
  });

  it("leaves nothing behind when it is cancelled", async () => {
    const abort = new AbortController();
    const report = (): void => {
      abort.abort();
    };
    await assert.rejects(make(bundle(), { root, report, signal: abort.signal }), {
      kind: "cancelled",
    });
    assert.deepEqual(readdirSync(root), []);
  });

  it("cannot be made where its folder cannot be", async () => {
    writeFileSync(join(folder, "file"), "");
    await assert.rejects(
      make(bundle(), inside(join(folder, "file", "storage"))),
      (error) => error instanceof EnvironmentProblem && error.message.includes("ENOTDIR"),
    );
  });
});

describe("the interpreter of an environment", () => {
  it("is where each system has it", () => {
    assert.equal(environmentPython("/e", "linux"), join("/e", "bin", "python"));
    assert.equal(environmentPython("/e", "darwin"), join("/e", "bin", "python"));
    assert.equal(environmentPython("/e", "win32"), join("/e", "Scripts", "python.exe"));
  });
});

describe("environments of other versions", () => {
  const DAY_S = 24 * 3600;

  /** An environment, or what is left of one, last used so many days ago. */
  function environment(name: string, days: number, complete = true): string {
    const made = join(folder, name);
    mkdirSync(made);
    const used = Date.now() / 1000 - days * DAY_S;
    if (complete) {
      writeFileSync(join(made, "editcast-complete"), "");
      utimesSync(join(made, "editcast-complete"), used, used);
    }
    utimesSync(made, used, used);
    return made;
  }

  it("are removed when they have not been used for 30 days", async () => {
    const mine = environment("server-mine", 31);
    environment("server-used-by-another-window", 29);
    environment("server-forgotten", 31);
    environment("making-now", 0, false);
    environment("making-interrupted", 31, false);
    environment("of-somebody-else", 31, false);
    await removeUnused(folder, environmentPython(mine));
    assert.deepEqual(readdirSync(folder).sort(), [
      "making-now",
      "of-somebody-else",
      "server-mine",
      "server-used-by-another-window",
    ]);
  });
});
