// One suggestion while the user looks at it, as plain data: no VS Code API here.
//
// Offsets are UTF-16 code units of the document's text as it is now. The server follows the typing
// too (`Suggestion.typed` there); it is followed here so that what is drawn is right at once.

/** One replacement: the text from `start` to `end` becomes `text`. */
export interface Hunk {
  start: number;
  end: number;
  text: string;
}

/** A suggestion for a text. Its hunks are simultaneous, ascending and disjoint. */
export interface Offer {
  /** Names it to the server. */
  id: string;
  /** The server's words for it. */
  title: string;
  hunks: readonly Hunk[];
  /** The hunks of all places where the same is left to do, these included; none where there is one. */
  everywhere: readonly Hunk[];
}

/** Which part of an offer is taken. */
export type Part = "word" | "line";

/** What an edit leaves of the text. */
export function applied(text: string, hunks: readonly Hunk[]): string {
  let result = "";
  let from = 0;
  for (const hunk of hunks) {
    result += text.slice(from, hunk.start) + hunk.text;
    from = hunk.end;
  }
  return result + text.slice(from);
}

/** A text with one kind of line end: what is inserted takes the document's. */
export function ofOneEnding(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** The one replacement that turns `before` into `after`, common ends left out. */
export function shortestHunk(before: string, after: string, offset = 0): Hunk {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) {
    head += 1;
  }
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) {
    tail += 1;
  }
  // A character outside the basic plane is two code units, and stays whole.
  if (isPairCut(before, head) || isPairCut(after, head)) {
    head -= 1;
  }
  if (isPairCut(before, before.length - tail) || isPairCut(after, after.length - tail)) {
    tail -= 1;
  }
  return {
    start: offset + head,
    end: offset + before.length - tail,
    text: after.slice(head, after.length - tail),
  };
}

/**
 * What is left of an offer when the user makes a change that agrees with it, or one elsewhere.
 *
 * @param before the text before the change
 * @param change what was typed or deleted, in offsets of that text
 * @returns undefined when the change contradicts it; no hunks when nothing is left to do
 */
export function typed(
  hunks: readonly Hunk[],
  before: string,
  change: Hunk,
): readonly Hunk[] | undefined {
  const grown = change.text.length - (change.end - change.start);
  const after = applied(before, [change]);
  const moved = (hunk: Hunk): Hunk => ({ ...hunk, start: hunk.start + grown, end: hunk.end + grown });
  for (const [index, hunk] of hunks.entries()) {
    if (hunk.start > change.start || change.end > hunk.end) {
      continue;
    }
    const left = shortestHunk(after.slice(hunk.start, hunk.end + grown), hunk.text, hunk.start);
    const whole = shortestHunk(before.slice(hunk.start, hunk.end), hunk.text);
    if (size(left) + size(change) !== size(whole)) {
      continue;
    }
    return [...hunks.slice(0, index), ...(size(left) > 0 ? [left] : []), ...hunks.slice(index + 1).map(moved)];
  }
  const touches = ({ start, end }: Hunk): boolean => start <= change.end && change.start <= end;
  return hunks.some(touches) ? undefined : hunks.map((hunk) => (hunk.start > change.end ? moved(hunk) : hunk));
}

/** Returns the rest of an offer for a text after successive changes; undefined when the changes contradict the offer. */
export function followed(offer: Offer, text: string, changes: readonly Hunk[]): Offer | undefined {
  let left = offer;
  let before = text;
  for (const change of changes) {
    const hunks = typed(left.hunks, before, change);
    if (hunks === undefined || hunks.length === 0) {
      return undefined;
    }
    left = withLeft(left, hunks, before, change);
    before = applied(before, [change]);
  }
  return left;
}

/** An offer of which these hunks are left after a change. */
export function withLeft(offer: Offer, hunks: readonly Hunk[], before: string, change: Hunk): Offer {
  return { ...offer, hunks, everywhere: typed(offer.everywhere, before, change) ?? [] };
}

/**
 * The first word or line of what an offer does, as an edit of its own.
 *
 * A replacement is taken whole: half of one is rarely something that anyone wants.
 */
export function firstPart(hunks: readonly Hunk[], part: Part): Hunk | undefined {
  const [hunk] = hunks;
  if (hunk === undefined || hunk.end > hunk.start) {
    return hunk;
  }
  const pattern = part === "word" ? /^\s*(?:[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]+)?/u : /^\r?\n?[^\r\n]*/;
  const [first] = pattern.exec(hunk.text) ?? [""];
  return { ...hunk, text: first === "" ? hunk.text : first };
}

/** Where the last of simultaneous replacements ends in the text that they leave. */
export function endOf(hunks: readonly Hunk[]): number {
  let grown = 0;
  let end = 0;
  for (const hunk of hunks) {
    end = hunk.start + grown + hunk.text.length;
    grown += hunk.text.length - (hunk.end - hunk.start);
  }
  return end;
}

/** Whether one of some completions fits to a typed word without being that word. */
export function changesWord(completions: readonly string[], word: string): boolean {
  const fits = (completion: string): boolean => {
    let found = 0;
    for (const character of completion.toLowerCase()) {
      found += character === word.toLowerCase()[found] ? 1 : 0;
    }
    return found === word.length;
  };
  return completions.some((completion) => completion !== word && fits(completion));
}

function size(hunk: Hunk): number {
  return hunk.end - hunk.start + hunk.text.length;
}

function isPairCut(text: string, at: number): boolean {
  return at > 0 && at < text.length && /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1));
}
