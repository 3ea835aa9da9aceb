// The list of the next edits of the file at hand, to apply or reject one.

import * as vscode from "vscode";

import { type NextEditResult, ServerCommand, type Suggestion } from "../protocol";
import type { Server } from "../server";

/** As many as the code action menu offers. */
const COUNT = 3;

interface Item extends vscode.QuickPickItem {
  suggestion: Suggestion;
}

const REJECT: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("trash"),
  tooltip: "Dismiss: do not suggest this again",
};

/**
 * Lists the next edits, best first; the editor shows the place of the one that is picked, Enter
 * makes the edit, Esc goes back to where the cursor was.
 */
export async function reviewNextEdits(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const result = await ask(server, editor);
  if (editor === undefined || result === undefined) {
    return;
  }
  const pick = vscode.window.createQuickPick<Item>();
  const before = { selection: editor.selection, visible: editor.visibleRanges[0] };
  let accepted = false;
  pick.title = `Next edit (${result.model})`;
  pick.items = result.suggestions.map((suggestion) => ({
    label: suggestion.title,
    buttons: [REJECT],
    suggestion,
  }));
  pick.onDidChangeActive(([item]) => {
    if (item !== undefined) {
      const line = editor.document.lineAt(item.suggestion.line).range;
      editor.selection = new vscode.Selection(line.start, line.start);
      editor.revealRange(line, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  });
  pick.onDidTriggerItemButton(({ item }) => {
    void server.execute(ServerCommand.reject, item.suggestion.id);
    pick.items = pick.items.filter((other) => other !== item);
    if (pick.items.length === 0) {
      pick.hide();
    }
  });
  pick.onDidAccept(() => {
    const [item] = pick.selectedItems;
    accepted = item !== undefined;
    pick.hide();
    if (item !== undefined) {
      void apply(server, editor.document, result, item.suggestion);
    }
  });
  pick.onDidHide(() => {
    pick.dispose();
    if (!accepted) {
      editor.selection = before.selection;
      if (before.visible !== undefined) {
        editor.revealRange(before.visible, vscode.TextEditorRevealType.AtTop);
      }
    }
  });
  pick.show();
}

/** The suggestions for an editor's document, or undefined after telling the user why not. */
async function ask(
  server: Server,
  editor: vscode.TextEditor | undefined,
): Promise<NextEditResult | undefined> {
  const client = await server.whenRunning();
  let reason: string;
  if (client === undefined) {
    reason = "its server is not running";
  } else if (editor === undefined) {
    reason = "no file is open";
  } else {
    const [result, words] = await server.nextEdits(client, editor.document, { count: COUNT });
    if (result === null) {
      reason = words;
    } else if (result.suggestions.length === 0) {
      reason = words === "" ? "there is none" : words;
    } else if (result.version !== editor.document.version) {
      reason = "the file has changed";
    } else {
      return result;
    }
  }
  vscode.window.setStatusBarMessage(`Editcast has no next edit: ${reason.replace(/\.$/, "")}.`, 5000);
  return undefined;
}

async function apply(
  server: Server,
  document: vscode.TextDocument,
  result: NextEditResult,
  suggestion: Suggestion,
): Promise<void> {
  const client = server.running;
  if (client === undefined || document.version !== result.version) {
    vscode.window.setStatusBarMessage("Editcast: the file has changed. List the next edits again.", 5000);
    return;
  }
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, await client.protocol2CodeConverter.asTextEdits(suggestion.edits));
  if (await vscode.workspace.applyEdit(edit)) {
    await server.execute(ServerCommand.accept, suggestion.id);
  }
}
