// What editors and their documents say of an offer: where it is, and what keys mean there.

import * as vscode from "vscode";
import type { TextEdit } from "vscode-languageclient/node";

import { changesWord, type Hunk, type Offer } from "./offer";
import type { Lines } from "./preview";

/** An offer further below the cursor, or above it, is jumped to before it is accepted. */
export const NEAR_LINES = 2;

export interface Offered {
  offer: Offer;
  /** The document's version and text that the offer is for. */
  version: number;
  text: string;
  /** Whether the user has jumped to it. */
  jumped: boolean;
  /** Whether the server knows that it was drawn. */
  told: boolean;
}

/** What Tab would do, as the context key `editcast.offer` says it. */
export type Reach = "here" | "elsewhere" | "";

/** Returns "here" for an offer that is in sight and close enough to the cursor to be accepted without a jump. */
export function reach(editor: vscode.TextEditor, { offer, jumped }: Offered): Reach {
  const [first] = offer.hunks;
  const line = editor.document.positionAt(first?.start ?? 0).line;
  const below = line - editor.selection.active.line;
  return jumped || (below >= 0 && below <= NEAR_LINES && isSeen(editor, line)) ? "here" : "elsewhere";
}

/** Tells whether a line is in sight: neither scrolled away nor folded. */
export function isSeen({ visibleRanges }: vscode.TextEditor, line: number): boolean {
  return visibleRanges.some(({ start, end }) => start.line <= line && line <= end.line);
}

/** Whether Tab indents: in front of a line's text, unless the user has jumped there by Tab. */
export function indents({ document, selection }: vscode.TextEditor, jumped = false): boolean {
  const { line, character } = selection.active;
  const before = document.lineAt(line).text.slice(0, character);
  return !selection.isEmpty || (before.trim() === "" && !jumped);
}

/** Whether a completion would change the word at the cursor: one that is there already would not. */
export async function isCompletable({ document, selection }: vscode.TextEditor): Promise<boolean> {
  const { active } = selection;
  const word = document.getWordRangeAtPosition(active);
  const list = await vscode.commands.executeCommand<vscode.CompletionList | undefined>(
    "vscode.executeCompletionItemProvider",
    document.uri,
    active,
  );
  const labels = list?.items.map(({ label }) => (typeof label === "string" ? label : label.label)) ?? [];
  return changesWord(labels, word === undefined ? "" : document.getText(word.with({ end: active })));
}

export function hunksOf(document: vscode.TextDocument, edits: readonly TextEdit[]): Hunk[] {
  return edits.map(({ range: { start, end }, newText }) => ({
    start: document.offsetAt(new vscode.Position(start.line, start.character)),
    end: document.offsetAt(new vscode.Position(end.line, end.character)),
    text: newText,
  }));
}

export function linesOf(document: vscode.TextDocument): Lines {
  return {
    lineCount: document.lineCount,
    line: (line) => document.lineAt(line).text,
    place: (offset) => {
      const { line, character } = document.positionAt(offset);
      return { line, character };
    },
  };
}

export function hover(offer: Offer): vscode.MarkdownString {
  const places = offer.everywhere.length;
  const commands = {
    "editcast.acceptSuggestion": "Accept",
    ...(places > 0 ? { "editcast.acceptEverywhere": `Apply to all ${places} places` } : {}),
    "editcast.rejectSuggestion": "Dismiss",
    "editcast.snoozeSuggestions": "Snooze",
  };
  const text = new vscode.MarkdownString("", true);
  text.isTrusted = { enabledCommands: Object.keys(commands) };
  text.appendText(offer.title);
  const links = Object.entries(commands).map(([command, words]) => `[${words}](command:${command})`);
  text.appendMarkdown(`\n\n${links.join(" · ")}`);
  return text;
}
