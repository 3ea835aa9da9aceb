import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { amount, columns, periods, projects, saveName, time, total } from "../src/history/remembered";
import type { RememberedFile } from "../src/protocol";

const HOUR = 3600_000;
const NOON = new Date(2026, 10, 23, 12, 0, 5).getTime();

function file(path: string, project: string, last: number, saves = 2): RememberedFile {
  return { path, project, language: "python", saves, first: NOON - 30 * HOUR, last, bytes: 1500 };
}

describe("what is remembered", () => {
  const files = [
    file("/home/a/src/old.py", "/home/a", NOON - HOUR),
    file("/home/b/x.py", "/home/b", NOON),
    file("/home/a/src/new.py", "/home/a", NOON - 1000),
    file("/open/part/y.py", "/open/part", NOON - 2 * HOUR),
    file("/other/b/z.py", "/other/b", NOON - 3 * HOUR),
  ];

  it("is ordered by open folders, then by the last save", () => {
    const found = projects({ files, bytes: 0 }, ["/open"]);
    assert.deepEqual(
      found.map(({ name, files: own }) => [name, own.map(({ path }) => path)]),
      [
        ["open", ["/open/part/y.py"]],
        ["/home/b", ["/home/b/x.py"]],
        ["a", ["/home/a/src/new.py", "/home/a/src/old.py"]],
        ["/other/b", ["/other/b/z.py"]],
      ],
    );
  });

  it("is counted", () => {
    assert.equal(amount(files.slice(0, 1)), "2 saves, 1.5 kB, 2 days");
    assert.equal(amount([file("/a", "/", NOON - 30 * HOUR, 1)]), "1 save, 1.5 kB, 1 day");
    assert.equal(amount(files), "10 saves of 5 files, 7.5 kB, 2 days");
    assert.equal(total({ files, bytes: 3_200_000 }), "10 saves of 5 files, 7.5 kB, 2 days; 3.2 MB on the disk");
    assert.equal(total({ files: [], bytes: 4096 }), "");
  });

  it("is in the words of the command line", () => {
    assert.equal(time(NOON), "2026-11-23 12:00:05");
    assert.equal(saveName({ number: 3, time: NOON }), "Save 3, 2026-11-23 12:00:05");
    assert.equal(
      columns(file("/a.py", "/", NOON)),
      "/a.py\npython, 2 saves, 1,500 bytes\nfirst 2026-11-22 06:00:05, last 2026-11-23 12:00:05",
    );
  });

  it("is forgotten by periods that begin or end at a time", () => {
    const found = new Map(periods(new Date(NOON)).map(({ label, period }) => [label, period]));
    assert.deepEqual(found.get("The last hour"), { since: NOON - HOUR, until: null });
    assert.deepEqual(found.get("Today"), { since: new Date(2026, 10, 23).getTime(), until: null });
    assert.deepEqual(found.get("Older than 7 days"), { since: null, until: NOON - 168 * HOUR });
  });
});
