// Draws an offer into an editor with decorations: nothing moves, and the colours are the theme's.

import * as vscode from "vscode";

import type { Box, Ghost, Preview } from "./preview";

const color = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);

/** Text that is not there. High contrast themes have no `editorGhostText.foreground`. */
const GHOST = "editorCodeLens.foreground";

/** Which way an offer that is elsewhere lies; `here` marks its own line. */
type Way = "up" | "down" | "here";

const ARROWS: Record<Way, string> = {
  up: "M8 3 3 8h3v5h4V8h3z",
  down: "M8 13 13 8h-3V3H6v5H3z",
  here: "M13 8 8 3v3H3v4h5v3z",
};

/** A gutter icon; icons take no theme colours, so there is one for light and one for dark themes. */
function arrow(way: Way): vscode.TextEditorDecorationType {
  const icon = (fill: string): vscode.Uri =>
    vscode.Uri.parse(
      `data:image/svg+xml,${encodeURIComponent(
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="${fill}" d="${ARROWS[way]}"/></svg>`,
      )}`,
    );
  return vscode.window.createTextEditorDecorationType({
    gutterIconSize: "80%",
    light: { gutterIconPath: icon("#0a58a8") },
    dark: { gutterIconPath: icon("#6cb6ff") },
  });
}

/** A box below a line: `textDecoration` is the only way to give a decoration styles of position. */
function inBox(editor: vscode.TextEditor, { line, text, column, width, rows }: Box): vscode.DecorationOptions {
  const { end } = editor.document.lineAt(line).range;
  const place = `position: absolute; top: 100%; left: ${column}ch; z-index: 1`;
  const wraps =
    rows === true
      ? `width: ${width + 0.5}ch; box-sizing: content-box; white-space: pre-wrap; line-break: anywhere`
      : `width: max-content; max-width: ${width}ch; box-sizing: border-box; white-space: pre-wrap; overflow-wrap: anywhere`;
  const style = `none; ${place}; ${wraps}; padding: 0 1ch`;
  return {
    range: new vscode.Range(end, end),
    // Between plain spaces lines may end.
    renderOptions: {
      after: { contentText: rows === true ? text : text.replaceAll("\u00a0", " "), textDecoration: style },
    },
  };
}

/** A decoration that does not grow with what is typed at its ends. */
function decoration(look: vscode.DecorationRenderOptions): vscode.TextEditorDecorationType {
  const rangeBehavior = vscode.DecorationRangeBehavior.ClosedClosed;
  return vscode.window.createTextEditorDecorationType({ ...look, rangeBehavior });
}

const BOX: vscode.DecorationRenderOptions = {
  after: {
    color: color("editor.foreground"),
    backgroundColor: color("editorHoverWidget.background"),
    border: "1px solid",
    borderColor: color("editorHoverWidget.border"),
  },
};

export class Drawing implements vscode.Disposable {
  private readonly inserted = decoration({
    after: {
      color: color(GHOST),
      // What marks the character behind it, such as a matching bracket, would be drawn under all of it.
      backgroundColor: color("editor.background"),
      fontStyle: "italic",
    },
  });
  private readonly deleted = decoration({
    textDecoration: "line-through",
    backgroundColor: color("diffEditor.removedTextBackground"),
  });
  private readonly block = decoration({
    after: {
      color: color("editor.foreground"),
      backgroundColor: color("diffEditor.insertedTextBackground"),
    },
  });
  private readonly box = decoration(BOX);
  private readonly hintBox = decoration(BOX);
  private readonly hint = decoration({
    after: {
      color: color(GHOST),
      margin: "0 0 0 3ch",
      fontStyle: "italic",
    },
  });
  private readonly arrows: Record<Way, vscode.TextEditorDecorationType> = {
    up: arrow("up"),
    down: arrow("down"),
    here: arrow("here"),
  };

  /** Draws an offer at its place; `hover` is shown over all of it. */
  show(editor: vscode.TextEditor, preview: Preview, hover: vscode.MarkdownString): void {
    const ghosts = (drawn: readonly Ghost[]): vscode.DecorationOptions[] =>
      drawn.map(({ line, character, text, gap }) => ({
        range: new vscode.Range(line, character, line, character),
        hoverMessage: hover,
        renderOptions: { after: { contentText: text, margin: `0 0 0 ${gap}ch` } },
      }));
    editor.setDecorations(this.inserted, ghosts(preview.insertions));
    editor.setDecorations(this.block, ghosts(preview.block));
    editor.setDecorations(
      this.box,
      preview.boxes.map((box) => ({ ...inBox(editor, box), hoverMessage: hover })),
    );
    editor.setDecorations(
      this.deleted,
      preview.deletions.map(({ start, end }) => ({
        range: new vscode.Range(start.line, start.character, end.line, end.character),
        hoverMessage: hover,
      })),
    );
  }

  /**
   * Says at the end of a line that there is an offer elsewhere; no text takes that back.
   *
   * @param box the same below the line, where there is no room behind it
   */
  tell(editor: vscode.TextEditor, line: number, text: string, box?: Box): void {
    const end = editor.document.lineAt(line).range.end;
    const behind = { range: new vscode.Range(end, end), renderOptions: { after: { contentText: text } } };
    editor.setDecorations(this.hint, text === "" || box !== undefined ? [] : [behind]);
    editor.setDecorations(this.hintBox, box === undefined ? [] : [inBox(editor, box)]);
  }

  /** Marks lines in the gutter. */
  point(editor: vscode.TextEditor, lines: Partial<Record<Way, number>>): void {
    for (const way of ["up", "down", "here"] as const) {
      const line = lines[way];
      editor.setDecorations(
        this.arrows[way],
        line === undefined ? [] : [new vscode.Range(line, 0, line, 0)],
      );
    }
  }

  /** Takes everything away. */
  clear(editor: vscode.TextEditor): void {
    for (const type of this.types) {
      editor.setDecorations(type, []);
    }
  }

  dispose(): void {
    for (const type of this.types) {
      type.dispose();
    }
  }

  private get types(): vscode.TextEditorDecorationType[] {
    return [this.inserted, this.deleted, this.block, this.box, this.hint, this.hintBox, ...Object.values(this.arrows)];
  }
}
