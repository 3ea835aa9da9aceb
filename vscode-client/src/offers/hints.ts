// Hints about what is elsewhere: one line at the cursor, as plain data. No VS Code API here.
//
// A hint has several forms, from the longest to the shortest, and the first one that surely fits into
// the window is shown: the key, the file and the line are never cut, whatever the size of the font.

import type { Hunk } from "./offer";
import { type Box, columnsAdded, EDGES, GAP, LEAST_WIDTH, type Lines, type Preview, visible, width } from "./preview";

/** Forms of one hint, the longest first; none where there is nothing to say. */
export type Hint = readonly string[];

/** The line at which a hint is shown, that of the cursor. */
interface HintLine {
  number: number;
  /** The column of the cursor, which is to be seen. */
  cursor: number;
  /** The preview of an offer that is drawn beside the hint, if any. */
  drawn: Preview | undefined;
  /** Tells whether a line is in sight: neither scrolled away nor folded. */
  isSeen: (line: number) => boolean;
}

/** Names of the keys that accept an offer, here and at all places. */
const KEY = "Tab";
const EVERYWHERE_KEY = "Alt+Shift+Enter";
/** The most columns that a hint gives to what is replaced, and to what replaces it. */
const MOST_WIDTH = 60;
/** Rows of a box that a hint may fill: it covers the text below. */
const MOST_ROWS = 2;
/** Lines below the cursor's on which a drawn offer is not to be covered. */
const MOST_BELOW = 12;
/** Lines by which a box may be lower in order to cover no text. */
const MOST_LOWER = 4;

/**
 * What is said of an offer that is elsewhere, or due at several places: the key, the way, the line, what
 * it does, and the key that does it everywhere.
 *
 * @param line the line of the offer; undefined where it is in sight
 * @param from the line of the cursor
 * @param places at how many places the same is due
 */
export function offerHint(
  hunks: readonly Hunk[],
  text: string,
  { line, from, places }: { line: number | undefined; from: number; places: number },
): Hint {
  const [first] = hunks;
  const short = places > 1 ? `${EVERYWHERE_KEY}: all ${places}` : "";
  const all = short === "" ? "" : `${short} places`;
  if (first === undefined || line === undefined) {
    return forms(all, short);
  }
  const place = `${KEY}: ${line < from ? "↑" : "↓"} line ${line + 1}`;
  const old = oneLine(text.slice(first.start, first.end));
  const fresh = oneLine(first.text);
  const what = old === "" ? `+ ${fresh}` : fresh === "" ? `- ${old}` : `${old} → ${fresh}`;
  const more = hunks.length > 1 ? ` and ${hunks.length - 1} more` : "";
  const also = all === "" ? "" : `, ${all}`;
  return forms(`${place}: ${what}${more}${also}`, `${place}: ${what}${also}`, place + also, `${place}: ${what}`, place);
}

/**
 * What is said of what is left to do in other files: the key, the file, the line, and how much more there is.
 *
 * @param others how many files there are beside the first
 */
export function otherFilesHint(file: string, { line, places }: { line: number; places: number }, others: number): Hint {
  const more = [
    ...(places > 1 ? [`${places} places`] : []),
    ...(others > 0 ? [`${others} more file${others > 1 ? "s" : ""}`] : []),
  ];
  const counted = more.length > 0 ? ` (${more.join(", ")})` : "";
  const all = `, ${EVERYWHERE_KEY}: all`;
  const name = file.split(/[\\/]/).at(-1) ?? file;
  const [place, short] = [file, name].map((one) => `${KEY}: ${one} line ${line + 1}`) as [string, string];
  return forms(place + counted + all, short + counted + all, short + all, place, short);
}

/**
 * The form of a hint that surely fits behind its line; one in a box below it where none does.
 *
 * @param room columns that surely fit into the window
 * @param wraps whether lines that do not fit into it wrap: then the cursor is always to be seen
 */
export function placed(
  hint: Hint,
  lines: Pick<Lines, "line" | "lineCount">,
  place: HintLine,
  tabSize: number,
  room: number,
  wraps = false,
): { text: string; box?: Box } {
  const line = lines.line(place.number);
  const left = room - width(line, tabSize) - (place.drawn ? columnsAdded(place.drawn, place.number) : 0) - GAP;
  const behind = hint.find((form) => form.length <= left);
  const last = hint.at(-1);
  if (behind !== undefined || last === undefined) {
    return { text: behind ?? "" };
  }
  const below = lineBelow(place);
  if (below === undefined) {
    return { text: "" };
  }
  const most = Math.min(LEAST_WIDTH, room);
  const rows = (text: string): number => Math.ceil(text.length / Math.max(1, most - EDGES));
  const short = hint.filter((form) => rows(form) <= MOST_ROWS);
  const cursor = wraps ? 0 : width(line.slice(0, place.cursor), tabSize);
  const boxes = (short.length > 0 ? short : [last]).flatMap((text) => {
    const drawn = Math.min(most, text.length + EDGES);
    // A window that shows what is far to the right ends close behind the cursor, as far as anyone knows.
    const end = cursor <= room ? room - drawn : cursor - drawn;
    const near = Math.min(Math.floor(cursor - drawn / 2), end);
    return [near, end].map((column) => ({ line: below, text, column: Math.max(0, column), width: most }));
  });
  const isFree = ({ line: host, text, column }: Box): boolean =>
    host < lines.lineCount &&
    place.isSeen(host) &&
    Array.from({ length: rows(text) }, (_, row) => host + 1 + row).every(
      (covered) => covered >= lines.lineCount || width(lines.line(covered), tabSize) <= column,
    );
  const lower = Array.from({ length: MOST_LOWER + 1 }, (_, more) => boxes.map((box) => ({ ...box, line: below + more })));
  const box = lower.flat().find(isFree) ?? boxes[0];
  return box === undefined ? { text: "" } : { text: box.text, box };
}

/**
 * The line below which the box of a hint covers nothing that is drawn of an offer; nothing where the offer
 * has a box itself, which matters more.
 */
function lineBelow({ number: line, drawn, isSeen }: HintLine): number | undefined {
  const { insertions, deletions, block, boxes } = drawn ?? { insertions: [], deletions: [], block: [], boxes: [] };
  const isCovered = (one: number): boolean => one > line && one <= line + MOST_BELOW && isSeen(one);
  const lines = [...insertions, ...block].map((ghost) => ghost.line).concat(deletions.map(({ end }) => end.line));
  return boxes.some((box) => box.line === line || isCovered(box.line))
    ? undefined
    : Math.max(line, ...lines.filter(isCovered));
}

/** Forms that are one line each, and visible as they are. */
function forms(...lines: string[]): Hint {
  return [...new Set(lines)].filter((line) => line !== "").map((line) => visible(line, 1));
}

/** Ends trimmed, line ends as a sign, cut to a width. */
function oneLine(text: string): string {
  const line = text
    .trim()
    .split(/\s*[\r\n]+\s*/)
    .join(" ⏎ ");
  const words = line === "" && text !== "" ? "⏎" : line;
  return words.length > MOST_WIDTH ? `${words.slice(0, MOST_WIDTH - 1)}…` : words;
}
