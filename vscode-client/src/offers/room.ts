// How many columns of text fit into an editor.

import * as vscode from "vscode";

import { groupWidths, type Layout, textColumns, WIDTH_OF_CHARACTER } from "./layout";

/**
 * Pixels that the text has where nobody tells how wide the editor is, with one group of editors only: at least,
 * for hints, which are never cut, and mostly, for what is drawn of an edit, which is best at its place.
 */
const UNKNOWN = { hint: 400, edit: 640 };
const USUAL_FONT_SIZE = 14;

export class Room implements vscode.Disposable {
  private widths: (number | undefined)[] = [];
  private readonly subscriptions: vscode.Disposable[];

  /** @param changed told when there is more room, or less */
  constructor(private readonly changed: () => void) {
    const look = (): void => {
      void this.look();
    };
    this.subscriptions = [
      vscode.window.onDidChangeVisibleTextEditors(look),
      vscode.window.onDidChangeTextEditorViewColumn(look),
    ];
  }

  /** Asks how wide the groups of editors are: nothing tells when someone draws their edges. */
  async look(): Promise<void> {
    const layout = await vscode.commands.executeCommand<Layout | undefined>("vscode.getEditorLayout");
    const widths = layout === undefined ? [] : groupWidths(layout);
    if (widths.join() !== this.widths.join()) {
      this.widths = widths;
      this.changed();
    }
  }

  /**
   * The columns of a tab, those that fit into an editor, and whether its lines wrap, by the settings: that someone
   * toggled it is told to nobody.
   */
  view(editor: vscode.TextEditor, what: keyof typeof UNKNOWN): readonly [number, number, boolean] {
    const { document, options } = editor;
    const settings = vscode.workspace.getConfiguration("editor", document);
    const tabSize = typeof options.tabSize === "number" ? options.tabSize : 4;
    return [tabSize, this.columns(editor, settings, what), settings.get<string>("wordWrap", "off") !== "off"];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private columns(
    { document, viewColumn }: vscode.TextEditor,
    settings: vscode.WorkspaceConfiguration,
    what: keyof typeof UNKNOWN,
  ): number {
    const fontSize = settings.get<number>("fontSize", USUAL_FONT_SIZE);
    const width = viewColumn === undefined ? NaN : (this.widths[viewColumn - 1] ?? NaN);
    if (!(width > 0)) {
      return Math.floor(UNKNOWN[what] / (WIDTH_OF_CHARACTER * fontSize));
    }
    const minimap = settings.get<boolean>("minimap.enabled", true);
    return textColumns(width, { fontSize, lines: document.lineCount, minimap });
  }
}
