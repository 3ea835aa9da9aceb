import assert from "node:assert/strict";
import { describe, it } from "node:test";

import type { Hunk } from "../src/offers/offer";
import { columnsAdded, type Lines, preview } from "../src/offers/preview";

function linesOf(text: string): Lines {
  const lines = text.split("\n");
  return {
    lineCount: lines.length,
    line: (line) => lines[line] ?? "",
    place: (offset) => {
      const before = text.slice(0, offset).split("\n");
      return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    },
  };
}

const hunk = (start: number, end: number, text: string): Hunk => ({ start, end, text });
const plain = (text: string): string => text.replaceAll("\u00a0", " ").trimEnd();

describe("what is drawn", () => {
  it("is ghost text where something is inserted, and a stroke through what goes", () => {
    const drawn = preview([hunk(4, 7, "new  ")], linesOf("a = old + b"), 4);
    assert.deepEqual(drawn.deletions, [
      { start: { line: 0, character: 4 }, end: { line: 0, character: 7 } },
    ]);
    assert.deepEqual(drawn.insertions, [
      { line: 0, character: 7, text: "new\u00a0\u00a0", gap: 0 },
    ]);
    assert.deepEqual(drawn.block, []);
    assert.deepEqual([columnsAdded(drawn, 0), columnsAdded(drawn, 1)], [5, 0]);
  });

  it("is a block of the new lines beside the lines that are there", () => {
    const text = "one\nthree = 3\n\n";
    const { block, deletions } = preview([hunk(3, 3, "\n  two\n  2")], linesOf(text), 4);
    assert.deepEqual(deletions, []);
    assert.deepEqual(block.map(({ line, character }) => [line, character]), [[0, 3], [1, 9]]);
    assert.deepEqual(block.map((ghost) => plain(ghost.text)), ["│   two", "│   2"]);
    // Both begin in the same column, behind the longer line.
    assert.deepEqual(block.map(({ character, gap }) => character + gap), [12, 12]);
    assert.equal(new Set(block.map((ghost) => ghost.text.length)).size, 1);
  });

  it("shows lines that are put in front of one", () => {
    const { block } = preview([hunk(4, 4, "two\n")], linesOf("one\nthree"), 4);
    assert.deepEqual(block.map((ghost) => [ghost.line, plain(ghost.text)]), [[1, "│ two"]]);
  });

  it("shows the whole of a line that is broken in two", () => {
    const { block, deletions } = preview([hunk(6, 7, "\n  ")], linesOf("f(a,b, c)\nx"), 4);
    assert.equal(deletions.length, 1);
    assert.deepEqual(block.map((ghost) => plain(ghost.text)), ["│ f(a,b,", "│   c)"]);
  });

  it("finds room at the end of a file, and cuts what is long", () => {
    const up = preview([hunk(7, 7, "\nd\ne")], linesOf("a\nb\nc\nd"), 4).block;
    assert.deepEqual(up.map(({ line }) => line), [2, 3]);
    const all = Array.from({ length: 40 }, (_, row) => `\nrow ${row}`).join("");
    const one = preview([hunk(1, 1, all)], linesOf("a"), 4).block;
    assert.equal(one.length, 1);
    const long = preview([hunk(1, 1, all)], linesOf(`a${"\n".repeat(50)}`), 4).block;
    assert.equal(long.length, 12);
    assert.equal(plain(long.at(-1)?.text ?? ""), "│ … 29 more lines");
  });

  it("is the whole line in a box where its change would run out of the window", () => {
    const text = `  call(${"argument, ".repeat(5)}last)`;
    const old = text.indexOf("last");
    const change = [hunk(2, 6, "f"), hunk(old, old + 4, "w".repeat(20))];
    const fits = preview(change, linesOf(text), 4, 90);
    assert.deepEqual([fits.insertions.length, fits.boxes], [2, []]);
    const { insertions, deletions, boxes } = preview(change, linesOf(text), 4, 70);
    assert.deepEqual([insertions.length, deletions.length], [0, 2]);
    const [box] = boxes;
    assert.equal(plain(box?.text ?? ""), `f(${"argument, ".repeat(5)}${"w".repeat(20)})`);
    assert.deepEqual([box?.line, box?.column, box?.width], [0, 0, 70]);
    // From the change on, where the line's beginning may be out of the window.
    const far = (room: number): unknown => {
      const [one] = preview([hunk(old, old, "w".repeat(20))], linesOf(text), 4, room).boxes;
      return [one?.text, one?.column, one?.width];
    };
    const rest = `…${"w".repeat(20)}last)`;
    assert.deepEqual(far(70), [rest, 37, 33]);
    assert.deepEqual(far(40), [rest, old, 33]);
  });

  it("is in a box at the line's first column where lines wrap, however far behind it the change is", () => {
    const text = `f(${"argument, ".repeat(30)}old)`;
    const change = [hunk(text.indexOf("old"), text.indexOf("old") + 3, "new")];
    const [box] = preview(change, linesOf(text), 4, 70, true).boxes;
    assert.deepEqual([plain(box?.text ?? ""), box?.column, box?.width], ["…new)", 0, 70]);
    assert.equal(preview(change, linesOf(text), 4, 70).boxes[0]?.column, text.indexOf("old"));
  });

  it("is new lines one below the other in a box where they would run out of the window", () => {
    const text = "def f(x):\n    y = x\n    return y\n";
    const at = text.indexOf("    y");
    const change = [hunk(at, at, "    if not x.user:\n        return login()\n")];
    assert.deepEqual(preview(change, linesOf(text), 4, 60).boxes, []);
    const { block, boxes, deletions } = preview(change, linesOf(text), 4, 38);
    assert.deepEqual([block, deletions], [[], []]);
    const rows = ["if not x.user:     ", "    return login() "].map((row) => row.replaceAll(" ", "\u00a0").slice(0, 18));
    assert.deepEqual(boxes, [{ line: 0, text: rows.join(""), column: 3, width: 18, rows: true }]);
    // Below what goes, and wrapped where even so there is no room.
    const end = text.indexOf("    return");
    const [narrow] = preview([hunk(at, end, change[0]?.text ?? "")], linesOf(text), 4, 12).boxes;
    assert.deepEqual([narrow?.line, narrow?.column, narrow?.width], [1, 0, 9]);
    assert.equal((narrow?.text.length ?? 0) % 9, 0);
  });

  it("counts tabs as wide as they are", () => {
    const { block } = preview([hunk(6, 6, "\n\ty\n\tz")], linesOf("\tif x:\n\t\tab"), 8);
    assert.deepEqual(block.map(({ gap }) => gap), [18 + 3 - 13, 3]);
    assert.equal(plain(block[0]?.text ?? ""), `│ ${" ".repeat(8)}y`);
  });
});
