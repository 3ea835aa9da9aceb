import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { groupWidths, textColumns } from "../src/offers/layout";

describe("the width of editors", () => {
  it("is that of their groups, in the order of their columns", () => {
    assert.deepEqual(groupWidths({ orientation: 0, groups: [{ size: 273 }, { size: 546 }] }), [273, 546]);
    const below = { size: 273, groups: [{ size: 365 }, { size: 366 }] };
    assert.deepEqual(groupWidths({ orientation: 0, groups: [{ size: 300 }, below] }), [300, 273, 273]);
    const row = { size: 365, groups: [{ size: 200 }, { size: 346 }] };
    assert.deepEqual(groupWidths({ orientation: 1, groups: [{ size: 300 }, row] }), [546, 200, 346]);
  });

  it("is not known where groups only lie one above the other", () => {
    assert.deepEqual(groupWidths({ orientation: 1, groups: [{ size: 731 }] }), [undefined]);
    assert.deepEqual(groupWidths({ orientation: 1, groups: [{ size: 365 }, { size: 366 }] }), [undefined, undefined]);
  });

  // What VS Code 1.139 gave to the text of editors, in pixels of a font whose characters are 0.602 of its size.
  const measured: [number, number, boolean, number][] = [
    [546, 12, true, 418],
    [546, 14, true, 420],
    [546, 20, true, 416],
    [546, 14, false, 476],
    [273, 12, true, 178],
    [273, 14, true, 176],
    [273, 20, true, 164],
    [273, 14, false, 203],
  ];
  for (const [width, fontSize, minimap, pixels] of measured) {
    it(`leaves columns for the text: ${width} pixels, font size ${fontSize}, minimap ${minimap}`, () => {
      const real = Math.floor((pixels - (minimap ? 0 : 14)) / (0.602 * fontSize));
      const columns = textColumns(width, { fontSize, lines: 200, minimap });
      assert.ok(columns <= real && columns >= real - 2, `${columns} of ${real}`);
    });
  }
});
