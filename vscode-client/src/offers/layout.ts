// How wide the text of an editor is, from the layout of the window that VS Code tells. No VS Code API here.

/** Groups of editors side by side, or one above the other; sizes are pixels. */
export interface Layout {
  orientation: number;
  groups: readonly Group[];
}

interface Group {
  size?: number;
  /** Groups within, which lie in the other direction. */
  groups?: readonly Group[];
}

/** The settings of an editor that decide how much of its width the text has. */
interface Look {
  fontSize: number;
  lines: number;
  minimap: boolean;
}

const SIDE_BY_SIDE = 0;
/** The width of a character for a size of the font, a little more than that of usual fonts. */
export const WIDTH_OF_CHARACTER = 0.61;
/** The gutter's parts: marks and folding, an icon that grows with the font, and the least digits. */
const MARKS = 26;
const ICON = 1.4;
const LEAST_DIGITS = 3;
const SCROLL_BAR = 14;
const MOST_MINIMAP = 128;
/** Pixels of the minimap beside those of its text, which has one pixel a character. */
const MINIMAP_EDGE = 8;

/**
 * The width of each group, in the order of the columns that they are; undefined where no layout says it, as
 * that of groups that only lie one above the other.
 *
 * @param width that of all of them
 */
export function groupWidths({ orientation, groups }: Layout, width?: number): (number | undefined)[] {
  const isRow = orientation === SIDE_BY_SIDE;
  const row = isRow ? undefined : groups.find((group) => group.groups !== undefined)?.groups;
  const whole = width ?? row?.reduce((sum, { size }) => sum + (size ?? NaN), 0);
  return groups.flatMap(({ size, groups: within }) => {
    const own = isRow ? size : whole;
    return within === undefined ? [own] : groupWidths({ orientation: isRow ? 1 : SIDE_BY_SIDE, groups: within }, own);
  });
}

/** Columns of text that surely fit into an editor of a width. */
export function textColumns(width: number, { fontSize, lines, minimap }: Look): number {
  const character = WIDTH_OF_CHARACTER * fontSize;
  const gutter = MARKS + ICON * fontSize + Math.max(LEAST_DIGITS, `${lines}`.length) * character;
  const left = width - gutter - SCROLL_BAR;
  const map = minimap ? Math.min(MOST_MINIMAP, left / (character + 1) + MINIMAP_EDGE) : 0;
  return Math.max(1, Math.floor((left - map) / character));
}
