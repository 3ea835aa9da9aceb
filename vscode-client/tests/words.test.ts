import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { applied } from "../src/offers/offer";
import { changedWords } from "../src/offers/words";

describe("the words that a replacement changes", () => {
  const table: [string, string, string[]][] = [
    ["load(path, mode)", "load(path, flags)", ["mode>flags"]],
    ["total(price, tax)", "total(amount, rate)", ["price>amount", "tax>rate"]],
    ["read(a)", "read(a, b)", [">, b"]],
    ["read(a, b)", "read(a)", [", b>"]],
    ["fetch(a)", "load(b)", ["fetch(a)>load(b)"]],
    ["price", "amount", ["price>amount"]],
    ["größe = 1 😀", "größe = 2 😀", ["1>2"]],
  ];
  for (const [old, fresh, expected] of table) {
    it(`are ${expected.join(" and ")} from ${old} to ${fresh}`, () => {
      const text = `if ${old}:`;
      const hunk = { start: 3, end: 3 + old.length, text: fresh };
      const parts = changedWords(old, hunk);
      assert.deepEqual(
        parts.map((part) => `${text.slice(part.start, part.end)}>${part.text}`),
        expected,
      );
      assert.equal(applied(text, parts), `if ${fresh}:`);
    });
  }

  it("are not looked for in what is very long", () => {
    const old = "a ".repeat(300);
    const hunk = { start: 0, end: old.length, text: old.replaceAll("a", "b") };
    assert.deepEqual(changedWords(old, hunk), [hunk]);
  });
});
