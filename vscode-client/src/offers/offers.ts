// What is offered in each open file: taken from the server, drawn, followed while the user types,
// accepted and rejected. Nothing moves the text or the cursor until the user asks for it.

import { isDeepStrictEqual } from "node:util";

import * as vscode from "vscode";

import { Announcement } from "./announcement";
import { Chain } from "./chain";
import { Drawing } from "./drawing";
import {
  hover,
  hunksOf,
  indents,
  isCompletable,
  isSeen,
  linesOf,
  NEAR_LINES,
  type Offered,
  type Reach,
  reach,
} from "./editors";
import { type Hint, offerHint, placed } from "./hints";
import { applied, endOf, firstPart, followed, type Hunk, type Offer, ofOneEnding, type Part, typed, withLeft } from "./offer";
import { OtherFiles } from "./otherFiles";
import { type Preview, preview } from "./preview";
import { Room } from "./room";
import { type NextEditResult, ServerCommand } from "../protocol";
import type { Server } from "../server";

/** The mark at the end of a chain of accepted offers. */
const NO_MORE = "no\u00a0more";

/** The Tab key, without a list of completions or with one of a single entry. */
export type Key = "Tab" | "TabInList";

export class Offers implements vscode.Disposable {
  private readonly drawing = new Drawing();
  private readonly announcement = new Announcement();
  private readonly chain = new Chain(() => this.draw());
  private readonly room = new Room(() => {
    this.drawn = undefined;
    this.draw();
  });
  private readonly offered = new Map<string, Offered>();
  private readonly otherFiles = new OtherFiles();
  private readonly subscriptions: vscode.Disposable[];
  private drawnIn: vscode.TextEditor | undefined;
  private drawn: { offer: Offer; preview: Preview } | undefined;
  /** Whether an edit of ours is being applied. */
  private applying = false;
  private contexts = new Map<string, unknown>();

  constructor(private readonly server: Server) {
    const draw = (): void => this.draw();
    this.subscriptions = [
      server.onDidPredict((result) => this.take(result)),
      server.onDidEnd(() => {
        // Whoever could say what became of an offer is gone.
        this.offered.clear();
        this.otherFiles.clear();
        this.draw();
      }),
      vscode.workspace.onDidChangeTextDocument((change) => this.follow(change)),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.offered.delete(document.uri.toString());
        this.draw(); // its editor stays if only its language is another
      }),
      vscode.workspace.onDidOpenTextDocument((document) => {
        if (document === vscode.window.activeTextEditor?.document) {
          void this.server.ask(document);
        }
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        this.chain.end();
        this.draw();
        // What was saved in another file meanwhile may be due in this one.
        void this.server.ask(editor?.document);
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        const editor = vscode.window.activeTextEditor;
        if (change.affectsConfiguration("files") && editor !== undefined) {
          this.draw(); // it may be read-only now
          void this.server.ask(editor.document);
        }
      }),
      vscode.window.onDidChangeTextEditorSelection(draw),
      vscode.window.onDidChangeTextEditorVisibleRanges(draw),
    ];
  }

  /** Offers what the server suggests now for a document. */
  private take(result: NextEditResult): void {
    const uri = vscode.Uri.parse(result.uri).toString();
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri);
    if (document?.version !== result.version) {
      return; // made for an older text: what is right for this one is on its way
    }
    const [best] = result.suggestions;
    const before = this.offered.get(uri);
    if (best === undefined) {
      this.offered.delete(uri);
    } else {
      const [hunks, everywhere] = [hunksOf(document, best.edits), hunksOf(document, best.everywhere)];
      const same = before?.offer.id === best.id ? before : undefined;
      const made: Offer = { id: best.id, title: best.title, hunks, everywhere };
      this.offered.set(uri, {
        // What is drawn anew closes its hover, which the user may be reading.
        offer: same && isDeepStrictEqual(same.offer, made) ? same.offer : made,
        version: result.version,
        text: document.getText(),
        jumped: same?.jumped ?? false,
        told: same?.told ?? false,
      });
    }
    void this.room.look();
    this.otherFiles.take(result, document);
    if (result.milliseconds > 0 && document === vscode.window.activeTextEditor?.document) {
      this.chain.find(best !== undefined);
    }
    this.draw();
  }

  /**
   * Jumps to the offer, or accepts it once it is where the cursor is.
   *
   * @param key the Tab key, which keeps its meaning in front of a line's text, or in a list of one
   *   completion; nothing for any other key. The keyboard's conditions say so too, but hear of a
   *   cursor that was just moved too late.
   */
  async tab(key?: Key): Promise<void> {
    const { editor, offered, next } = this.current;
    if (key === "TabInList" && editor !== undefined) {
      if (await isCompletable(editor)) {
        await vscode.commands.executeCommand("acceptSelectedSuggestion");
        return;
      }
      await vscode.commands.executeCommand("hideSuggestWidget");
    }
    const isFree = editor !== undefined && !(key !== undefined && indents(editor, offered?.jumped));
    if (isFree && next.length > 0) {
      await this.otherFiles.open(editor.document);
      return;
    }
    if (!isFree || offered === undefined) {
      if (key !== undefined && !(offered === undefined && this.chain.swallows())) {
        await vscode.commands.executeCommand("tab");
      }
      this.draw();
      return;
    }
    if (reach(editor, offered) === "elsewhere") {
      this.jump();
    } else {
      await this.accept();
    }
  }

  /** Puts the cursor where the offer begins, or into the next file that has to follow. */
  jump(): void {
    const { editor, offered, next } = this.current;
    const [first] = offered?.offer.hunks ?? [];
    if (editor !== undefined && next.length > 0) {
      void this.otherFiles.open(editor.document);
    }
    if (editor === undefined || offered === undefined || first === undefined) {
      return;
    }
    offered.jumped = true;
    const place = editor.document.positionAt(first.start);
    editor.selection = new vscode.Selection(place, place);
    editor.revealRange(
      new vscode.Range(place, editor.document.positionAt(first.end)),
      vscode.TextEditorRevealType.InCenterIfOutsideViewport,
    );
    this.draw();
  }

  /**
   * Makes the edit, wherever it is, here or at all of its places, and puts the cursor behind it; in all
   * other files, once nothing is left in this one.
   */
  async accept(way: "here" | "everywhere" = "here"): Promise<void> {
    const { editor, offered, next } = this.current;
    if (editor !== undefined && way === "everywhere" && next.length > 0) {
      await this.server.tell(ServerCommand.applyOtherFiles, editor.document.uri.toString());
      await this.server.ask(editor.document);
      return;
    }
    const last = offered?.offer.hunks.at(-1);
    const hunks = (way === "here" ? offered?.offer.hunks : offered?.offer.everywhere) ?? [];
    if (editor === undefined || offered === undefined || last === undefined || hunks.length === 0) {
      return;
    }
    this.offered.delete(editor.document.uri.toString());
    this.otherFiles.accept(editor.document);
    this.chain.accept(); // now, for a Tab that comes while the edit is being made
    this.draw(); // or what was offered would be seen beside what it has become
    if (await this.apply(editor, hunks)) {
      const end = editor.document.positionAt(endOf(hunks.filter(({ start }) => start <= last.start)));
      editor.selection = new vscode.Selection(end, end);
      editor.revealRange(new vscode.Range(end, end));
      this.setContext("editcast.accepted", true);
      await this.server.tell(ServerCommand.accept, offered.offer.id);
    } else {
      this.chain.end();
    }
    this.draw();
  }

  /** Makes the first word or line of the edit; what is left stays offered. */
  async acceptPart(part: Part): Promise<void> {
    const { editor, offered } = this.current;
    const first = offered && firstPart(offered.offer.hunks, part);
    if (editor === undefined || offered === undefined || first === undefined) {
      return;
    }
    offered.jumped = true;
    const left = typed(offered.offer.hunks, offered.text, first);
    const after = ofOneEnding(applied(offered.text, [first]));
    if (await this.apply(editor, [first])) {
      if (left?.length === 0) {
        this.otherFiles.accept(editor.document);
        this.offered.delete(editor.document.uri.toString());
        this.chain.accept();
        await this.server.tell(ServerCommand.accept, offered.offer.id);
      } else if (left !== undefined && ofOneEnding(editor.document.getText()) === after) {
        offered.offer = withLeft(offered.offer, left, offered.text, first);
        offered.version = editor.document.version;
        offered.text = editor.document.getText();
      } else {
        this.offered.delete(editor.document.uri.toString()); // something was typed while it was being made
      }
      const next = editor.document.positionAt(left?.[0]?.start ?? endOf([first]));
      editor.selection = new vscode.Selection(next, next);
      editor.revealRange(new vscode.Range(next, next));
    }
    this.draw();
  }

  /**
   * Takes the offer away for good; the server remembers.
   *
   * @returns whether there was one
   */
  async reject(): Promise<boolean> {
    const { editor, offered, next } = this.current;
    if (editor !== undefined && next.length > 0) {
      this.otherFiles.dismiss(editor.document);
      this.draw();
      return true;
    }
    if (editor === undefined || offered === undefined) {
      return false;
    }
    this.offered.delete(editor.document.uri.toString());
    this.draw();
    await this.server.tell(ServerCommand.reject, offered.offer.id);
    return true;
  }

  dispose(): void {
    this.chain.end();
    vscode.Disposable.from(this.drawing, this.announcement, this.room, ...this.subscriptions).dispose();
  }

  /** The active editor, its offer, and without one the hint at the next file that has to follow. */
  private get current(): { editor: vscode.TextEditor | undefined; offered: Offered | undefined; next: Hint } {
    const editor = vscode.window.activeTextEditor;
    const offered = editor && this.offered.get(editor.document.uri.toString());
    // With several cursors, and where nothing can be edited, nothing is drawn, and every key is itself.
    const isOut =
      editor === undefined || editor.selections.length > 1 || this.server.readOnly.has(editor.document);
    if (isOut) {
      return { editor, offered: undefined, next: [] };
    }
    const isCurrent = offered?.version === editor.document.version;
    return {
      editor,
      offered: isCurrent ? offered : undefined,
      next: isCurrent ? [] : this.otherFiles.hint(editor.document),
    };
  }

  /** Keeps an offer up to date with a change, unless that contradicts it. */
  private follow({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    const uri = document.uri.toString();
    const offered = this.offered.get(uri);
    if (this.applying || contentChanges.length === 0) {
      return;
    }
    this.otherFiles.type(document);
    if (document === vscode.window.activeTextEditor?.document) {
      this.chain.end();
    }
    const changes = contentChanges.map(({ rangeOffset, rangeLength, text }) => {
      return { start: rangeOffset, end: rangeOffset + rangeLength, text };
    });
    const isUndone = reason !== undefined; // or redone
    const offer = offered && !isUndone ? followed(offered.offer, offered.text, changes) : undefined;
    if (offered === undefined || offer === undefined) {
      this.offered.delete(uri);
    } else {
      Object.assign(offered, { offer, version: document.version, text: document.getText() });
    }
    this.draw();
  }

  private async apply(editor: vscode.TextEditor, hunks: readonly Hunk[]): Promise<boolean> {
    const { document } = editor;
    this.applying = true;
    try {
      return await editor.edit((builder) => {
        for (const { start, end, text } of hunks) {
          builder.replace(new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
        }
      });
    } finally {
      this.applying = false;
    }
  }

  /** Brings what the editor shows, and what its keys mean, in line with what is offered. */
  private draw(): void {
    const { editor, offered, next } = this.current;
    if (this.drawnIn !== undefined && (this.drawnIn !== editor || offered === undefined)) {
      this.drawing.clear(this.drawnIn);
      this.drawnIn = undefined;
      this.drawn = undefined;
    }
    this.setContext("editcast.chainEnded", offered === undefined && next.length === 0 && this.chain.goesOn);
    this.setContext("editcast.everywhere", next.length > 0 || (offered?.offer.everywhere.length ?? 0) > 0);
    if (editor === undefined || offered === undefined) {
      this.announcement.dispose();
      this.setContext("editcast.offer", next.length === 0 ? "" : "elsewhere");
      this.setContext("editcast.tab", editor !== undefined && next.length > 0 && !indents(editor));
      if (editor !== undefined && next.length > 0) {
        this.tell(editor, next);
      } else if (editor !== undefined && this.chain.isMarked) {
        // Behind its line, though nobody may see it there: in a box it would be more than it says.
        this.drawnIn = editor;
        this.drawing.tell(editor, editor.selection.active.line, NO_MORE);
      }
      return;
    }
    const { document } = editor;
    const cursor = editor.selection.active;
    const { hunks } = offered.offer;
    const [first] = hunks;
    const line = document.positionAt(first?.start ?? 0).line;
    const isNear = Math.abs(line - cursor.line) <= NEAR_LINES;
    offered.jumped = isNear && (offered.jumped || this.otherFiles.hasOpened(document));
    const where = reach(editor, offered);
    this.drawnIn = editor;
    // Where the cursor is, and what is in view, changes nothing at the offer's own place.
    if (this.drawn?.offer !== offered.offer) {
      const { offer } = offered;
      this.drawn = { offer, preview: preview(hunks, linesOf(document), ...this.room.view(editor, "edit")) };
      this.drawing.show(editor, this.drawn.preview, hover(offer));
    }
    const far = where === "elsewhere" && !isSeen(editor, line) ? line : undefined;
    const places = offered.offer.everywhere.length;
    this.tell(editor, offerHint(hunks, offered.text, { line: far, from: cursor.line, places }));
    const here = where === "elsewhere" ? { here: line } : {};
    const way = line < cursor.line ? "up" : "down";
    this.drawing.point(editor, far === undefined ? here : { ...here, [way]: cursor.line });
    this.setContext("editcast.offer", where);
    this.setContext("editcast.tab", !indents(editor, offered.jumped));
    this.setContext("editcast.atCursor", document.offsetAt(cursor) === first?.start);
    if (!offered.told) {
      offered.told = true;
      void this.server.tell(ServerCommand.shown, offered.offer.id);
      this.announcement.make(offered.offer.title);
    }
  }

  /** Writes a hint at the line of the cursor. */
  private tell(editor: vscode.TextEditor, hint: Hint): void {
    const { line, character } = editor.selection.active;
    this.drawnIn = editor;
    const place = { number: line, cursor: character, drawn: this.drawn?.preview, isSeen: (one: number) => isSeen(editor, one) };
    const { text, box } = placed(hint, linesOf(editor.document), place, ...this.room.view(editor, "hint"));
    this.drawing.tell(editor, line, text, box);
  }

  private setContext(key: string, value: Reach | boolean): void {
    if (this.contexts.get(key) !== value) {
      this.contexts.set(key, value);
      void vscode.commands.executeCommand("setContext", key, value);
    }
  }
}
