// What there is to train on, in words, as plain data: no VS Code API here.

import { counted } from "../history/remembered";
import type { HistoryCount, SourceCount } from "../protocol";

/** Says the size of a source, such as "312 saves in 41 files, about 900 edits". */
export function describe({ kind, saves, files, edits, commits }: SourceCount): string {
  if (kind === "git") {
    return commits === null ? "an unknown number of commits" : counted(commits, "commit");
  }
  return `${counted(saves, "save")} in ${counted(files, "file")}, about ${counted(rounded(edits), "edit")}`;
}

/** Tells whether sources are enough for a training to begin; true where git does not say. */
export function isEnough(sources: readonly SourceCount[], needed: number): boolean {
  const instances = sources.reduce((sum, source) => sum + source.instances, 0);
  return instances >= needed || sources.some(({ kind, commits }) => kind === "git" && commits === null);
}

/** Says what is missing, and what the user can do about it. */
export function tooLittle({ sources, needed }: HistoryCount): string {
  const found = sources.map((source) => `${source.name}: ${describe(source)}`).join("; ");
  return (
    `There is too little history to train on yet (${found === "" ? "none" : found}). Training needs about ` +
    `${(100 * needed).toLocaleString("en")} edits, or a repository with some hundred commits. Work for some more ` +
    "days, or open the folder of such a repository. Nothing was downloaded."
  );
}

/** The kinds of which no source was chosen. */
export function leftOut(all: readonly SourceCount[], chosen: readonly SourceCount[]): string[] {
  const kept = new Set(chosen.map(({ kind }) => kind));
  return [...new Set(all.map(({ kind }) => kind))].filter((kind) => !kept.has(kind));
}

/** A number with two digits that are not 0. */
function rounded(number: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, number))) - 1);
  return Math.round(number / unit) * unit;
}
