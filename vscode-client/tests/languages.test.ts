import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { isOn, toggled } from "../src/languages";

describe("turning a language off and on", () => {
  const table: [string[], string[]][] = [
    [["*"], ["*", "!python"]],
    [["*", "!python"], ["*"]],
    [["python", "c"], ["c"]],
    [["c"], ["c", "python"]],
    [[], ["python"]],
    [["*", "python"], ["*", "!python"]],
  ];
  for (const [before, after] of table) {
    it(`makes ${JSON.stringify(before)} ${JSON.stringify(after)}`, () => {
      assert.deepEqual(toggled(before, "python"), after);
      assert.notEqual(isOn(before, "python"), isOn(after, "python"));
      assert.equal(isOn(before, "c"), isOn(after, "c"));
    });
  }
});
