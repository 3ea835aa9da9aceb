import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type Hint, offerHint, otherFilesHint, placed } from "../src/offers/hints";
import type { Hunk } from "../src/offers/offer";
import type { Preview } from "../src/offers/preview";

const hunk = (start: number, end: number, text: string): Hunk => ({ start, end, text });
const plain = (hint: Hint): string[] => hint.map((form) => form.replaceAll("\u00a0", " "));
const nothing: Preview = { insertions: [], deletions: [], block: [], boxes: [] };
const ghost = (line: number, columns: number): Preview => ({
  ...nothing,
  insertions: [{ line, character: 0, text: "x".repeat(columns), gap: 0 }],
});
const first = (hint: Hint): string | undefined => plain(hint)[0];

describe("the hint of an edit elsewhere", () => {
  const said = (hunks: readonly Hunk[], text: string, line: number, from: number, places = 0): string | undefined =>
    first(offerHint(hunks, text, { line, from, places }));

  it("says which way, which line and what", () => {
    const text = "x\nold = 1\n";
    assert.equal(said([hunk(2, 5, "new")], text, 1, 0), "Tab: ↓ line 2: old → new");
    assert.equal(said([hunk(0, 1, "")], text, 0, 1), "Tab: ↑ line 1: - x");
    assert.equal(
      said([hunk(1, 1, "\n  y\n z"), hunk(2, 2, "q")], text, 0, 5),
      "Tab: ↑ line 1: + y ⏎ z and 1 more",
    );
  });

  it("says at how many places the same is left, and by which key it is done at all of them", () => {
    const here = (places: number): Hint => offerHint([hunk(0, 1, "y")], "x", { line: undefined, from: 0, places });
    assert.deepEqual(plain(here(5)), ["Alt+Shift+Enter: all 5 places", "Alt+Shift+Enter: all 5"]);
    assert.deepEqual(here(0), []);
    assert.equal(said([hunk(0, 1, "y")], "x", 9, 0, 3), "Tab: ↓ line 10: x → y, Alt+Shift+Enter: all 3 places");
  });

  it("names the next file, and how much is left", () => {
    const other = (places: number, others: number): string | undefined =>
      first(otherFilesHint("shop/bill.py", { line: 2, places }, others));
    assert.equal(other(1, 0), "Tab: shop/bill.py line 3, Alt+Shift+Enter: all");
    assert.equal(other(3, 0), "Tab: shop/bill.py line 3 (3 places), Alt+Shift+Enter: all");
    const windows = otherFilesHint("C:\\shop\\bill.py", { line: 2, places: 1 }, 0);
    assert.equal(plain(windows).at(-1), "Tab: bill.py line 3");
    assert.equal(other(1, 1), "Tab: shop/bill.py line 3 (1 more file), Alt+Shift+Enter: all");
    assert.equal(other(3, 4), "Tab: shop/bill.py line 3 (3 places, 4 more files), Alt+Shift+Enter: all");
  });

  it("is short", () => {
    assert.ok((said([hunk(0, 0, "w".repeat(500))], "", 9, 0) ?? "").length < 100);
  });
});

describe("where a hint has little room", () => {
  const hint = offerHint([hunk(0, 3, "new_name")], "old", { line: 141, from: 0, places: 3 });
  const other = otherFilesHint("shop/bill.py", { line: 2, places: 1 }, 0);
  const lines = (length: number, below: readonly number[] = Array<number>(30).fill(90)): { lineCount: number; line: (line: number) => string } => ({
    lineCount: 8 + below.length,
    line: (line) => "x".repeat(line <= 7 ? length : (below[line - 8] ?? 0)),
  });
  const isSeen = (): boolean => true;
  const place = { number: 7, cursor: 10, drawn: nothing, isSeen };
  const shown = (of: Hint, room: number, drawn = 0): string => {
    const { text, box } = placed(of, lines(10), { ...place, drawn: ghost(7, drawn) }, 4, 13 + room);
    assert.equal(box, undefined);
    return text.replaceAll("\u00a0", " ");
  };

  it("drops whole parts, and never the key and the line", () => {
    assert.equal(shown(hint, 65), "Tab: ↓ line 142: old → new_name, Alt+Shift+Enter: all 3 places");
    assert.equal(shown(hint, 65, 10), "Tab: ↓ line 142, Alt+Shift+Enter: all 3 places");
    assert.equal(shown(hint, 35), "Tab: ↓ line 142: old → new_name");
    assert.equal(shown(hint, 20), "Tab: ↓ line 142");
    assert.equal(shown(other, 42), "Tab: bill.py line 3, Alt+Shift+Enter: all");
    assert.equal(shown(other, 30), "Tab: shop/bill.py line 3");
    assert.equal(shown(other, 20), "Tab: bill.py line 3");
  });

  it("fits whatever the room, or wraps in a box below its line", () => {
    for (let room = 0; room < 120; room += 1) {
      for (let length = 0; length < 150; length += 7) {
        const { text, box } = placed(hint, lines(length), { ...place, cursor: length }, 4, room);
        assert.match(text, /^Tab:.↓.line.142/);
        assert.ok(box !== undefined || length + 3 + text.length <= room);
        assert.ok(box === undefined || (box.column <= length && length <= box.column + box.width));
      }
    }
  });

  it("is in a box at the cursor, which is to be seen", () => {
    const box = (length: number, cursor: number): unknown =>
      placed(["Tab: line 2"], lines(length), { ...place, cursor }, 4, 80).box;
    assert.equal(box(66, 45), undefined);
    assert.deepEqual(box(70, 45), { line: 7, text: "Tab: line 2", column: 38, width: 33 });
    assert.deepEqual(box(90, 75), { line: 7, text: "Tab: line 2", column: 66, width: 33 });
    assert.deepEqual(box(90, 85), { line: 7, text: "Tab: line 2", column: 71, width: 33 });
    assert.deepEqual(placed([], lines(90), place, 4, 80), { text: "" });
    assert.equal(placed(["Tab: line 2"], lines(400), { ...place, cursor: 385 }, 4, 80, true).box?.column, 0, "wrapped");
  });

  it("is in a box that covers nothing of the offer below the cursor", () => {
    const box = (drawn: Preview): unknown =>
      placed(["Alt+Shift+Enter: all 3"], lines(60), { ...place, cursor: 9, drawn }, 4, 80).box?.line;
    assert.equal(box(ghost(8, 4)), 8);
    assert.equal(box(ghost(6, 4)), 7);
    assert.equal(box(ghost(40, 4)), 7);
    assert.equal(box({ ...nothing, boxes: [{ line: 8, text: "x", column: 0, width: 9 }] }), undefined);
  });

  it("is in a box that covers no text, where there is room for it a few lines below", () => {
    const box = (below: readonly number[]): unknown =>
      placed(["Tab: line 2", "to line 2"], lines(70, below), { ...place, cursor: 45 }, 4, 80).box;
    const hint = { text: "Tab: line 2", width: 33 };
    assert.deepEqual(box([90, 38, 0]), { ...hint, line: 8, column: 38 });
    assert.deepEqual(box([60, 0]), { ...hint, line: 7, column: 66 });
    assert.deepEqual(box([67, 0]), { text: "to line 2", width: 33, line: 7, column: 68 });
    assert.deepEqual(box([90, 90]), { ...hint, line: 9, column: 38 }, "the file ends there");
    assert.deepEqual(box([90, 90, 90, 90, 90, 0]), { ...hint, line: 7, column: 38 });
  });

  it("is in a box below a line that is in sight, not below one that is folded", () => {
    const box = (drawn: Preview, below: readonly number[] = []): unknown =>
      placed(["Tab: line 2"], lines(70, below), { ...place, cursor: 45, drawn, isSeen: (line) => line < 8 }, 4, 80).box?.line;
    assert.equal(box(ghost(8, 4)), 7);
    assert.equal(box({ ...nothing, boxes: [{ line: 8, text: "x", column: 0, width: 9 }] }), 7);
    assert.equal(box(nothing, [90, 0]), 7);
  });
});
