// What the status bar says for each state, as plain data: no VS Code API here.

import type { NextEditResult, ServerState } from "./protocol";

/** The server's own states, and those in which there is no server to tell. */
export type State = ServerState | "absent" | "starting" | "stopped" | "failed";

interface Presentation {
  text: string;
  /** For screen readers, which do not read icons. */
  label: string;
  severity: "none" | "warning" | "error";
}

const PRESENTATIONS: Record<State, { icon: string; words: string; severity?: "warning" | "error" }> = {
  absent: { icon: "cloud-download", words: "not installed" },
  starting: { icon: "loading~spin", words: "starting" },
  ready: { icon: "edit", words: "ready" },
  // Only the icon changes while a prediction is under way, so that the bar does not jump about.
  thinking: { icon: "sync~spin", words: "ready" },
  baseline: { icon: "edit", words: "ready (no model)" },
  training: { icon: "loading~spin", words: "training" },
  snoozed: { icon: "bell-slash", words: "snoozed" },
  disabled: { icon: "circle-slash", words: "off" },
  stopped: { icon: "debug-disconnect", words: "stopped", severity: "warning" },
  failed: { icon: "error", words: "not running", severity: "error" },
};

/** @param isServed false where the document at hand is left alone */
export function present(state: State, isServed = true): Presentation {
  if (!isServed && ["ready", "thinking", "baseline"].includes(state)) {
    const label = "Editcast is ready, but not for this file";
    return { text: "$(circle-slash) Editcast: not here", label, severity: "none" };
  }
  const { icon, words, severity } = PRESENTATIONS[state];
  return {
    text: `$(${icon}) Editcast: ${words}`,
    label: `Editcast is ${words}`,
    severity: severity ?? "none",
  };
}

/** What was predicted last, or why nothing of it is shown. */
export function explain({ suggestions, milliseconds, best, threshold }: NextEditResult): string {
  const [first] = suggestions;
  if (first !== undefined) {
    return `${first.title}, in ${Math.round(milliseconds)} ms`;
  }
  return best === null
    ? ""
    : `Best prediction ${Math.floor(100 * best)} %, shown from ${Math.ceil(100 * threshold)} %`;
}
