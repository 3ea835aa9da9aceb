import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { applied, changesWord, endOf, firstPart, followed, type Hunk, shortestHunk, typed, withLeft } from "../src/offers/offer";

const hunk = (start: number, end: number, text: string): Hunk => ({ start, end, text });

describe("following the typing", () => {
  // The text, what is offered in it, what is typed, and what is then left of the offer.
  const table: [string, string, Hunk[], Hunk, Hunk[] | undefined][] = [
    ["the first letter", "a = ", [hunk(4, 4, "foo")], hunk(4, 4, "f"), [hunk(5, 5, "oo")]],
    ["all of it", "a = ", [hunk(4, 4, "foo")], hunk(4, 4, "foo"), []],
    ["another letter", "a = ", [hunk(4, 4, "foo")], hunk(4, 4, "g"), undefined],
    ["a bracket that closes itself", "f", [hunk(1, 1, "(x)")], hunk(1, 1, "()"), [hunk(2, 2, "x")]],
    ["deleting what goes", "old", [hunk(0, 3, "new")], hunk(2, 3, ""), [hunk(0, 2, "new")]],
    ["over the selection", "old", [hunk(0, 3, "new")], hunk(0, 3, "n"), [hunk(1, 1, "ew")]],
    ["before it", "a\nb = ", [hunk(6, 6, "foo")], hunk(1, 1, "f"), [hunk(7, 7, "foo")]],
    ["behind it", "a = \nb", [hunk(4, 4, "foo")], hunk(6, 6, "f"), [hunk(4, 4, "foo")]],
    ["between two", "a b", [hunk(0, 1, "x"), hunk(3, 3, "y")], hunk(2, 2, "cc"), [hunk(0, 1, "x"), hunk(5, 5, "y")]],
    ["deleting text that touches it", "a b", [hunk(3, 3, "y")], hunk(2, 3, ""), undefined],
    ["a line end", "a", [hunk(1, 1, "\n  b")], hunk(1, 1, "\n  "), [hunk(4, 4, "b")]],
    ["the end of the other", "a b", [hunk(1, 1, "x"), hunk(3, 3, "y")], hunk(3, 3, "y"), [hunk(1, 1, "x")]],
    ["before another", "a b", [hunk(1, 1, "xx"), hunk(3, 3, "y")], hunk(1, 1, "x"), [hunk(2, 2, "x"), hunk(4, 4, "y")]],
    ["backspace", "a = f", [hunk(5, 5, "oo")], hunk(4, 5, ""), undefined],
  ];
  for (const [name, text, hunks, change, left] of table) {
    it(`${name}: ${left === undefined ? "goes away" : "stays"}`, () => {
      assert.deepEqual(typed(hunks, text, change), left);
    });
  }

  it("goes on through several changes, the last in the text first", () => {
    const offer = { id: "1", title: "", hunks: [hunk(4, 4, "foo")], everywhere: [] };
    assert.deepEqual(followed(offer, "a = \nb", [hunk(6, 6, "!"), hunk(4, 4, "f")])?.hunks, [hunk(5, 5, "oo")]);
    assert.equal(followed(offer, "a = \nb", [hunk(6, 6, "!"), hunk(4, 4, "g")]), undefined);
    assert.equal(followed(offer, "a = \nb", [hunk(6, 6, "!"), hunk(4, 4, "foo")]), undefined, "nothing is left");
  });

  it("leads to the same text, however much of it is typed", () => {
    const text = "total = add(a, b)\n";
    const hunks = [hunk(8, 11, "multiply"), hunk(12, 13, "first"), hunk(16, 16, "😀, c")];
    const goal = applied(text, hunks);
    for (const part of ["word", "line"] as const) {
      let now = text;
      let left: readonly Hunk[] = hunks;
      for (let step = 0; left.length > 0; step += 1) {
        assert.ok(step < 20);
        const first = firstPart(left, part);
        assert.ok(first);
        const next = typed(left, now, first);
        assert.ok(next, `${part}: ${JSON.stringify(first)} of ${JSON.stringify(left)}`);
        now = applied(now, [first]);
        assert.equal(applied(now, next), goal);
        left = next;
      }
      assert.equal(now, goal);
    }
  });
});

describe("all places of an offer", () => {
  const text = "f(old) + old + old";
  const everywhere = [hunk(2, 5, "new"), hunk(9, 12, "new"), hunk(15, 18, "new")];
  const hunks = everywhere.slice(1, 2);

  it("move with what is typed at one of them", () => {
    const change = hunk(9, 12, "n");
    const left = typed(hunks, text, change);
    assert.ok(left);
    const offer = withLeft({ id: "1", title: "", hunks, everywhere }, left, text, change);
    assert.deepEqual(offer.hunks, [hunk(10, 10, "ew")]);
    assert.deepEqual(offer.everywhere, [hunk(2, 5, "new"), hunk(10, 10, "ew"), hunk(13, 16, "new")]);
    const after = applied(text, [change]);
    assert.equal(applied(after, offer.everywhere), "f(new) + new + new");
  });

  it("are none where there is but one", () => {
    const change = hunk(9, 12, "n");
    const offer = withLeft({ id: "1", title: "", hunks, everywhere: [] }, hunks, text, change);
    assert.deepEqual(offer.everywhere, []);
  });
});

describe("a part of an offer", () => {
  it("is a word with the space before it", () => {
    assert.equal(firstPart([hunk(0, 0, " return größe + 1")], "word")?.text, " return");
    assert.equal(firstPart([hunk(0, 0, " größe + 1")], "word")?.text, " größe");
    assert.equal(firstPart([hunk(0, 0, "(x)")], "word")?.text, "(");
  });

  it("is a line, with the line end that it begins with", () => {
    assert.equal(firstPart([hunk(0, 0, "\r\n  a\r\n  b")], "line")?.text, "\r\n  a");
    assert.equal(firstPart([hunk(0, 0, "a\nb")], "line")?.text, "a");
  });

  it("is a replacement as a whole", () => {
    assert.deepEqual(firstPart([hunk(0, 3, "b c")], "word"), hunk(0, 3, "b c"));
    assert.equal(firstPart([], "word"), undefined);
  });
});

describe("the shortest replacement", () => {
  it("leaves common ends out, and characters whole", () => {
    assert.deepEqual(shortestHunk("abcd", "axcd", 10), hunk(11, 12, "x"));
    assert.deepEqual(shortestHunk("a😀", "a😁"), hunk(1, 3, "😁"));
    assert.deepEqual(shortestHunk("aa", "a"), hunk(1, 2, ""));
  });

  it("ends where the new text ends", () => {
    assert.equal(endOf([hunk(1, 3, "xyz"), hunk(5, 5, "q")]), 7);
  });
});

describe("a list of completions", () => {
  it("changes the word at the cursor unless its fitting entries are that word", () => {
    assert.ok(!changesWord(["amount"], "amount"));
    assert.ok(!changesWord(["amount", "price"], "amount"));
    assert.ok(changesWord(["amount", "amounts"], "amount"));
    assert.ok(changesWord(["totalAmount"], "amount"));
    assert.ok(changesWord(["price"], ""));
    assert.ok(!changesWord([], ""));
  });
});
