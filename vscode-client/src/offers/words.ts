// The words that differ between two short texts: no VS Code API here.

import type { Hunk } from "./offer";

const TOKENS = /[\p{L}\p{N}\p{M}_]+|\s+|[^\s\p{L}\p{N}\p{M}_]/gu;
/** Beyond so many pairs of tokens a replacement is shown whole. */
const MOST_PAIRS = 40_000;

/**
 * Replacements of single words that do what one replacement does, in ascending order; that one
 * itself where no word of it stays.
 *
 * @param old the text that is replaced
 */
export function changedWords(old: string, hunk: Hunk): Hunk[] {
  const before = old.match(TOKENS) ?? [];
  const after = hunk.text.match(TOKENS) ?? [];
  if (before.length * after.length > MOST_PAIRS) {
    return [hunk];
  }
  const common = commonLengths(before, after);
  const changed: Hunk[] = [];
  let isWordKept = false;
  let last: Hunk | undefined;
  let offset = hunk.start;
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const gone = before[i];
    const fresh = after[j];
    if (gone !== undefined && gone === fresh) {
      isWordKept ||= /[\p{L}\p{N}]/u.test(gone);
      offset += gone.length;
      last = undefined;
      i += 1;
      j += 1;
      continue;
    }
    if (last === undefined) {
      last = { start: offset, end: offset, text: "" };
      changed.push(last);
    }
    if (gone !== undefined && (fresh === undefined || at(common, i + 1, j) >= at(common, i, j + 1))) {
      offset += gone.length;
      last.end = offset;
      i += 1;
    } else {
      last.text += fresh ?? "";
      j += 1;
    }
  }
  return isWordKept ? changed : [hunk];
}

/** Lengths of the longest common subsequences of what follows each pair of places. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () =>
    new Array<number>(after.length + 1).fill(0),
  );
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = lengths[i] ?? [];
      row[j] =
        before[i] === after[j]
          ? at(lengths, i + 1, j + 1) + 1
          : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  }
  return lengths;
}

function at(lengths: readonly number[][], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}
