// How many columns of text surely fit into an editor.

import * as vscode from "vscode";

import { groupWidths, type Layout, textColumns, WIDTH_OF_CHARACTER } from "./layout";

/** Pixels that text surely has where nobody tells how wide the editor is: with one group of editors only. */
const LEAST_WIDTH = 400;
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

  /** Columns that surely fit into an editor. */
  columns({ document, viewColumn }: vscode.TextEditor): number {
    const settings = vscode.workspace.getConfiguration("editor", document);
    const fontSize = settings.get<number>("fontSize", USUAL_FONT_SIZE);
    const width = viewColumn === undefined ? NaN : (this.widths[viewColumn - 1] ?? NaN);
    if (!(width > 0)) {
      return Math.floor(LEAST_WIDTH / (WIDTH_OF_CHARACTER * fontSize));
    }
    const minimap = settings.get<boolean>("minimap.enabled", true);
    return textColumns(width, { fontSize, lines: document.lineCount, minimap });
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }
}
