// What is drawn of an offer, as plain data: no VS Code API here.
//
// What is deleted is struck through where it stands, what is inserted within a line is written
// there. New lines cannot be shown between lines without moving the text, so they are shown as a
// block to the right of the lines that are there. What would run out of the window is written into a box
// below its line, which wraps: a line whole, or from the change on where that is far to the right; new
// lines one below the other.

import { applied, type Hunk } from "./offer";
import { changedWords } from "./words";

interface Place {
  line: number;
  character: number;
}

/** Text in a line that is not in the document. */
export interface Ghost extends Place {
  text: string;
  /** Columns left free before it. */
  gap: number;
}

/** Text in a box below a line, over the lines that follow. */
export interface Box {
  line: number;
  text: string;
  /** The column at which the box begins, and the most columns that it takes. */
  column: number;
  width: number;
  /** True if the text is rows of exactly that width, one behind the other. */
  rows?: boolean;
}

export interface Preview {
  insertions: Ghost[];
  boxes: Box[];
  deletions: { start: Place; end: Place }[];
  /** New lines, each at the end of a line that is there. */
  block: Ghost[];
}

/** The part of a text document that is needed here. */
export interface Lines {
  lineCount: number;
  line: (line: number) => string;
  place: (offset: number) => Place;
}

const MOST_ROWS = 12;
/** Columns between a line and what is drawn behind it. */
export const GAP = 3;
/** Columns of the narrowest box, unless the window is narrower, and those of its edges. */
export const LEAST_WIDTH = 33;
export const EDGES = 3;

/**
 * Draws an offer at its place.
 *
 * @param room columns that surely fit into the window
 * @param wraps whether lines that do not fit into it wrap
 */
export function preview(hunks: readonly Hunk[], lines: Lines, tabSize: number, room = Infinity, wraps = false): Preview {
  const drawn: Preview = { insertions: [], boxes: [], deletions: [], block: [] };
  for (const hunk of hunks.flatMap((each) => inWords(each, lines))) {
    const start = lines.place(hunk.start);
    const end = lines.place(hunk.end);
    if (hunk.end > hunk.start) {
      drawn.deletions.push({ start, end });
    }
    if (/[\r\n]/.test(hunk.text)) {
      const fresh = shortened(rows(hunk, start, end, lines));
      const beside = block(fresh, start.line, lines, tabSize);
      if (Math.max(...beside.map((ghost) => endColumn(ghost, lines, tabSize))) <= room) {
        drawn.block.push(...beside);
      } else {
        drawn.boxes.push(boxOfRows(fresh, hostOf(hunk, start, end), tabSize, room));
      }
    } else if (hunk.text !== "") {
      drawn.insertions.push({ ...end, text: visible(hunk.text, tabSize), gap: 0 });
    }
  }
  for (const line of new Set(drawn.insertions.map((ghost) => ghost.line))) {
    const ghosts = drawn.insertions.filter((ghost) => ghost.line === line);
    const columns = ghosts.map(({ character }) => width(lines.line(line).slice(0, character), tabSize));
    const inserted = ghosts.reduce((sum, { text }) => sum + text.length, 0);
    if ((columns.at(-1) ?? 0) + inserted > room) {
      drawn.insertions = drawn.insertions.filter((ghost) => ghost.line !== line);
      const beside = box(line, hunks, lines, tabSize, room);
      drawn.boxes.push(wraps ? { ...beside, column: 0, width: room } : beside);
    }
  }
  return drawn;
}

/** Columns that what is drawn adds to a line. */
export function columnsAdded({ insertions, block }: Preview, line: number): number {
  const inLine = [...insertions, ...block].filter((ghost) => ghost.line === line);
  return inLine.reduce((sum, { gap, text }) => sum + gap + text.length, 0);
}

/** The box for a line: what stays to the left of it is what of the line is surely to be seen. */
function box(line: number, hunks: readonly Hunk[], lines: Lines, tabSize: number, room: number): Box {
  const text = lines.line(line);
  const inside = hunks.flatMap((hunk) => {
    const [start, end] = [lines.place(hunk.start), lines.place(hunk.end)];
    return start.line === line && end.line === line && !/[\r\n]/.test(hunk.text)
      ? [{ start: start.character, end: end.character, text: hunk.text }]
      : [];
  });
  const first = inside[0]?.start ?? 0;
  const last = inside.at(-1)?.end ?? 0;
  const [from, to] = [first, last].map((character) => width(text.slice(0, character), tabSize)) as [number, number];
  const after = applied(text, inside);
  // A window that shows what is far to the right does not show where the line begins.
  if (from + LEAST_WIDTH <= room) {
    return { line, text: visible(after.trim(), tabSize), column: 0, width: room };
  }
  const most = Math.min(room, Math.max(LEAST_WIDTH, to - from));
  const column = from < room ? Math.max(0, room - most) : from;
  return { line, text: `…${visible(after.slice(first), tabSize)}`, column, width: most };
}

/** The box of new lines, which begin where they will; lines that are wider than the window wrap. */
function boxOfRows(rows: readonly string[], line: number, tabSize: number, room: number): Box {
  const plain = rows.map((row) => visible(row, tabSize).trimEnd());
  const indents = plain.filter((row) => row !== "").map((row) => row.length - row.trimStart().length);
  const indent = Math.min(...indents);
  const longest = Math.max(...plain.map((row) => row.length)) - indent;
  const column = Math.max(0, Math.min(indent - 1, room - EDGES - longest));
  const width = Math.max(1, Math.min(longest, room - EDGES - column));
  const text = plain.map((row) => row.slice(indent)).map((row) => {
    return row.padEnd(width * Math.max(1, Math.ceil(row.length / width)), "\u00a0");
  });
  return { line, text: text.join(""), column, width, rows: true };
}

/** The line below which a box of new lines is: the last one that they replace, or the one before them. */
function hostOf({ start: first, end: last }: Hunk, start: Place, end: Place): number {
  const isBefore = end.character === 0 && (last > first || start.character === 0);
  return isBefore ? Math.max(0, end.line - 1) : end.line;
}

/** The column in which what is drawn behind a line ends. */
function endColumn({ line, gap, text }: Ghost, lines: Lines, tabSize: number): number {
  return width(lines.line(line), tabSize) + gap + text.length;
}

/** The words that a replacement within a line changes, where some of its words stay. */
function inWords(hunk: Hunk, lines: Lines): Hunk[] {
  const start = lines.place(hunk.start);
  const end = lines.place(hunk.end);
  if (start.line !== end.line || hunk.end === hunk.start || /^$|[\r\n]/.test(hunk.text)) {
    return [hunk];
  }
  return changedWords(lines.line(start.line).slice(start.character, end.character), hunk);
}

/** The lines that an edit with line ends in it leaves, as far as they are new. */
function rows(hunk: Hunk, start: Place, end: Place, lines: Lines): string[] {
  const head = lines.line(start.line).slice(0, start.character);
  const tail = lines.line(end.line).slice(end.character);
  const all = applied(head + tail, [{ start: head.length, end: head.length, text: hunk.text }]);
  const whole = all.split(/\r\n|\r|\n/);
  // A line that is there already, in front of the new ones or behind them, is not shown again.
  if (hunk.start === hunk.end && whole[0] === head && tail === "") {
    return whole.slice(1);
  }
  return hunk.start === hunk.end && whole.at(-1) === tail && head === "" ? whole.slice(0, -1) : whole;
}

/** As many lines as are shown of new ones. */
function shortened(rows: readonly string[]): string[] {
  return rows.length > MOST_ROWS
    ? [...rows.slice(0, MOST_ROWS - 1), `… ${rows.length - MOST_ROWS + 1} more lines`]
    : [...rows];
}

function block(shown: readonly string[], line: number, lines: Lines, tabSize: number): Ghost[] {
  // At the end of the file there are no lines to stand beside: the block begins further up.
  const first = Math.max(0, Math.min(line, lines.lineCount - shown.length));
  const room = lines.lineCount - first;
  const fitting = shown.length > room ? [...shown.slice(0, room - 1), shown.slice(room - 1).join(" ⏎ ")] : shown;
  const widths = fitting.map((_, row) => width(lines.line(first + row), tabSize));
  const column = Math.max(...widths) + GAP;
  const longest = Math.max(...fitting.map((row) => width(row, tabSize)));
  return fitting.map((row, index) => ({
    line: first + index,
    character: lines.line(first + index).length,
    text: visible(`│ ${row}`, tabSize).padEnd(longest + 3, "\u00a0"),
    gap: column - (widths[index] ?? 0),
  }));
}

/** Columns that a line takes, but for wide characters. */
export function width(line: string, tabSize: number): number {
  let columns = 0;
  for (const character of line) {
    columns += character === "\t" ? tabSize - (columns % tabSize) : 1;
  }
  return columns;
}

/** With spaces and tabs that CSS does not merge. */
export function visible(text: string, tabSize: number): string {
  return text.replaceAll("\t", " ".repeat(tabSize)).replaceAll(" ", "\u00a0");
}
