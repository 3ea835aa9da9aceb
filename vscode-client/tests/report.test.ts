import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";

import { editcastHome, newestReport, withResolvedAddresses } from "../src/report";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "editcast-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function page(path: string, seconds: number): string {
  const whole = join(folder, path);
  mkdirSync(join(whole, ".."), { recursive: true });
  writeFileSync(whole, "<html></html>");
  utimesSync(whole, seconds, seconds);
  return whole;
}

describe("the newest report", () => {
  it("is the page changed last, however deep it lies", async () => {
    page("reports/monday.html", 1000);
    const newest = page("models/mine/report/index.html", 3000);
    page("tuesday.html", 2000);
    page("models/mine/card.json", 4000);
    assert.equal(await newestReport(folder), newest);
  });

  it("is none where nothing was written", async () => {
    assert.equal(await newestReport(folder), undefined);
    assert.equal(await newestReport(join(folder, "missing")), undefined);
  });
});

describe("the home of Editcast", () => {
  it("is where EDITCAST_HOME says", () => {
    assert.equal(editcastHome({ EDITCAST_HOME: "/data/e" }, "linux", "/home/u"), "/data/e");
    assert.equal(editcastHome({ EDITCAST_HOME: "~/e" }, "linux", "/home/u"), "/home/u/e");
  });

  it("is otherwise the platform's folder for user data", () => {
    assert.equal(editcastHome({}, "linux", "/home/u"), "/home/u/.local/share/editcast");
    assert.equal(editcastHome({ XDG_DATA_HOME: "/d" }, "linux", "/home/u"), "/d/editcast");
    assert.equal(
      editcastHome({}, "darwin", "/Users/u"),
      "/Users/u/Library/Application Support/editcast",
    );
    assert.match(editcastHome({ LOCALAPPDATA: "/local" }, "win32", "/u"), /local.editcast$/);
  });
});

describe("a page's addresses", () => {
  it("are resolved when relative, and left alone otherwise", () => {
    const html =
      '<img src="curve.png"><a href="#top"></a><img src="data:image/png;base64,AA">' +
      '<a href="https://example.org/"></a>';
    assert.equal(
      withResolvedAddresses(html, (address) => `vscode:${address}`),
      html.replace("curve.png", "vscode:curve.png"),
    );
  });
});
