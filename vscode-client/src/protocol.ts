// Mirrors server/editcast_server/lsp/protocol.py: change both or neither. tests/e2e/test_mirrors.py
// holds the names in the two files together.
//
// Positions are LSP's, in the encoding that client and server negotiated (UTF-16 in VS Code).

import {
  NotificationType,
  RequestType,
  type TextDocumentIdentifier,
  type TextEdit,
} from "vscode-languageclient/node";

/** Parameters of `editcast/nextEdit`. */
export interface NextEditParams {
  textDocument: TextDocumentIdentifier;
  /** At most so many suggestions, best first. */
  count?: number;
}

/** One predicted edit of one document. */
export interface Suggestion {
  /** Names the suggestion in `editcast.accept` and `editcast.reject`. */
  id: string;
  /** Simultaneous edits of the document version that the suggestions belong to. */
  edits: TextEdit[];
  /** The edits of all places where the same is left to do; empty where there is only one. */
  everywhere: TextEdit[];
  /** The first line that changes, counted from 0. */
  line: number;
  /** Such as "Next edit, line 50: `foo` -> `bar` (93 %)". */
  title: string;
  /** Calibrated estimate, 0..1, that the edit is right. */
  confidence: number;
  /** Joint log probability of all token edits. */
  logProbability: number;
  /** Number of token edits. */
  tokenEdits: number;
}

/** One other file that has to follow what was changed. */
export interface OtherFile {
  uri: string;
  /** The line to begin at, counted from 0. */
  line: number;
  places: number;
}

/** Answer to `editcast/nextEdit`, and parameters of `editcast/didPredict`. */
export interface NextEditResult {
  uri: string;
  /** The document's version that the suggestions apply to. */
  version: number;
  /** Name of the model, or of the baseline that stands in for one. */
  model: string;
  /**
   * How long the prediction took; 0 when there was none for this version: older suggestions are
   * gone, or it was not there in time.
   */
  milliseconds: number;
  /** Confidence of the best guess, though it be below the threshold; null without one. */
  best: number | null;
  /** The least confidence that is shown; 0 when there was no prediction. */
  threshold: number;
  suggestions: Suggestion[];
  /**
   * Those in which something is left to do, when nothing is here; they come in a second notification,
   * once they have been looked for.
   */
  otherFiles: OtherFile[];
}

/** What the server is doing. */
export type ServerState =
  | "ready"
  | "thinking"
  | "snoozed"
  | "disabled"
  | "baseline"
  | "training";

/** Parameters of `editcast/status`. */
export interface StatusParams {
  state: ServerState;
  model: string;
  message: string;
}

/** One file of which saves are remembered. Times are milliseconds since the epoch. */
export interface RememberedFile {
  path: string;
  /** The repository or folder that the file belongs to. */
  project: string;
  language: string;
  saves: number;
  first: number;
  last: number;
  /** Length of all the texts. */
  bytes: number;
}

/** Answer to `editcast.history`: what the store has, and the bytes it takes on the disk. */
export interface Remembered {
  files: RememberedFile[];
  bytes: number;
}

/** One save of a file. */
export interface RememberedSave {
  /** Counted from 1. */
  number: number;
  time: number;
}

/** Mirrors training/editcast_training/data/counting.py: one source of the user's own history. */
export interface SourceCount {
  kind: "store" | "local-history" | "git";
  /** For the user. */
  name: string;
  saves: number;
  files: number;
  edits: number;
  /** Examples for a training. */
  instances: number;
  /** Commits of a repository; null where git does not say. */
  commits: number | null;
}

/** Answer to `editcast.countHistory`: a training needs so many instances. */
export interface HistoryCount {
  sources: SourceCount[];
  needed: number;
}

/** Null when the document is unknown or not to be served. */
export const nextEditRequest = new RequestType<NextEditParams, NextEditResult | null, void>(
  "editcast/nextEdit",
);

export const didPredictNotification = new NotificationType<NextEditResult>("editcast/didPredict");

export const statusNotification = new NotificationType<StatusParams>("editcast/status");

/** Commands of `workspace/executeCommand`; the comments name their arguments. */
export const ServerCommand = {
  /** [id] */
  accept: "editcast.accept",
  /** [id] */
  reject: "editcast.reject",
  /** [id], once it has been drawn */
  shown: "editcast.shown",
  /** [uri]: what is left in other files */
  applyOtherFiles: "editcast.applyOtherFiles",
  /** [seconds]; 0 ends a snooze */
  snooze: "editcast.snooze",
  /** [], or [list of the kinds of sources to leave out] */
  train: "editcast.train",
  /** [], answered with `HistoryCount` */
  countHistory: "editcast.countHistory",
  /** [] */
  revert: "editcast.revert",
  /** [], answered with a page of HTML */
  report: "editcast.report",
  /** [], answered with `Remembered` */
  history: "editcast.history",
  /** [path], answered with a list of `RememberedSave` */
  saves: "editcast.saves",
  /** [path, number of the save], answered with the text */
  savedText: "editcast.savedText",
  /** [list of paths or null, since or null, until or null], answered with a sentence */
  forget: "editcast.forget",
  /** [file to write, list of paths or null], answered with a sentence */
  exportHistory: "editcast.exportHistory",
  /** [] or [uri] */
  status: "editcast.status",
} as const;
