// The other files that have to follow what was changed, offered once nothing is left to do in one.

import * as vscode from "vscode";

import { type Hint, otherFilesHint } from "./hints";
import type { NextEditResult, OtherFile } from "../protocol";

interface Found {
  version: number;
  files: readonly OtherFile[];
}

export class OtherFiles {
  private readonly found = new Map<string, Found>();
  /** Documents that the user has typed in since the last save or accept: what is left can wait. */
  private readonly typed = new Set<string>();
  /** The dismissed files, each with the places that were due in it, as JSON. */
  private readonly dismissed = new Set<string>();
  private opened: string | undefined;

  /** Takes what the server says of a document. */
  take({ version, suggestions, otherFiles }: NextEditResult, document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    const files = otherFiles.filter((one) => !this.dismissed.has(JSON.stringify(one)));
    if (suggestions.length === 0 && files.length > 0 && !(this.typed.has(uri) && document.isDirty)) {
      this.found.set(uri, { version, files });
    } else {
      this.found.delete(uri);
    }
  }

  /** Forgets what was found for a document, which the user types in. */
  type(document: vscode.TextDocument): void {
    this.found.delete(document.uri.toString());
    this.typed.add(document.uri.toString());
    this.opened = undefined;
  }

  /** Has what is left count again, though the document was typed in: an offer was accepted there. */
  accept(document: vscode.TextDocument): void {
    this.typed.delete(document.uri.toString());
  }

  /** Returns what says where to go on; nothing where there is nowhere to go. */
  hint(document: vscode.TextDocument): Hint {
    const files = this.of(document);
    const [first] = files;
    return first === undefined
      ? []
      : otherFilesHint(vscode.workspace.asRelativePath(vscode.Uri.parse(first.uri)), first, files.length - 1);
  }

  /** Opens the first other file at the place to begin. */
  async open(document: vscode.TextDocument): Promise<void> {
    const [first] = this.of(document);
    if (first !== undefined) {
      const uri = vscode.Uri.parse(first.uri);
      this.opened = uri.toString();
      const place = new vscode.Position(first.line, 0);
      await vscode.window.showTextDocument(uri, { selection: new vscode.Range(place, place) });
    }
  }

  /** Forgets all that was found: nobody could do it now. */
  clear(): void {
    this.found.clear();
  }

  /** Tells, once, whether the user was brought to a document and has typed nothing since. */
  hasOpened({ uri }: vscode.TextDocument): boolean {
    const isIt = this.opened === uri.toString();
    this.opened = isIt ? undefined : this.opened;
    return isIt;
  }

  /** Takes away what is offered for a document, for good. */
  dismiss(document: vscode.TextDocument): void {
    for (const file of this.of(document)) {
      this.dismissed.add(JSON.stringify(file));
    }
    this.found.delete(document.uri.toString());
  }

  private of(document: vscode.TextDocument): readonly OtherFile[] {
    const found = this.found.get(document.uri.toString());
    return found?.version === document.version ? found.files : [];
  }
}
