// What is remembered, in words and as a tree, as plain data: no VS Code API here.

import { basename, sep } from "node:path";

import type { Remembered, RememberedFile, RememberedSave } from "../protocol";

const DAY_MS = 24 * 3600_000;

/** An open folder, or another repository or folder, of which files are remembered. */
export interface Project {
  path: string;
  /** Its name, or its whole path where another project has the same name. */
  name: string;
  /** The file saved last comes first. */
  files: RememberedFile[];
}

/** Times of saves in milliseconds since the epoch; `null` leaves an end open. */
export interface Period {
  since: number | null;
  /** Not itself among them. */
  until: number | null;
}

export const ALWAYS: Period = { since: null, until: null };

/** The projects of what is remembered: those that are open first, then the one saved last. */
export function projects({ files }: Remembered, open: readonly string[]): Project[] {
  const byPath = new Map<string, RememberedFile[]>();
  for (const file of [...files].sort((a, b) => b.last - a.last)) {
    const path = open.find((folder) => isWithin(file.path, folder)) ?? file.project;
    byPath.set(path, [...(byPath.get(path) ?? []), file]);
  }
  const names = [...byPath.keys()].map((path) => basename(path));
  const found = [...byPath].map(([path, own]) => {
    const name = basename(path);
    const isUnique = name !== "" && names.filter((other) => other === name).length === 1;
    return { path, name: isUnique ? name : path, files: own };
  });
  const isOpen = ({ path }: Project): boolean => open.includes(path);
  return [...found.filter(isOpen), ...found.filter((project) => !isOpen(project))];
}

function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder + sep);
}

/** Says the size of one file or more: saves, files, bytes, and the days from the first to the last. */
export function amount(files: readonly RememberedFile[]): string {
  const saves = sum(files.map((file) => file.saves));
  const [first, last] = [Math.min(...files.map((file) => file.first)), Math.max(...files.map((file) => file.last))];
  const days = Math.ceil((last - first + 1) / DAY_MS);
  const size = bytes(sum(files.map((file) => file.bytes)));
  const inFiles = files.length === 1 ? "" : ` of ${counted(files.length, "file")}`;
  return `${counted(saves, "save")}${inFiles}, ${size}, ${counted(days, "day")}`;
}

/** Says the size of all that is remembered, with what it takes on the disk. */
export function total({ files, bytes: onDisk }: Remembered): string {
  return files.length === 0 ? "" : `${amount(files)}; ${bytes(onDisk)} on the disk`;
}

/** The columns of `editcast history list`, for one file. */
export function columns({ path, language, saves, first, last, bytes: size }: RememberedFile): string {
  const length = `${size.toLocaleString("en")} bytes`;
  return `${path}\n${language}, ${counted(saves, "save")}, ${length}\nfirst ${time(first)}, last ${time(last)}`;
}

/** The name of a save, as `editcast history show` has it. */
export function saveName({ number, time: when }: RememberedSave): string {
  return `Save ${number}, ${time(when)}`;
}

/** The periods that the user may have forgotten, by their names. */
export function periods(now: Date): { label: string; period: Period }[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const ago = (days: number): number => now.getTime() - days * DAY_MS;
  return [
    { label: "The last hour", period: { since: now.getTime() - 3600_000, until: null } },
    { label: "Today", period: { since: midnight.getTime(), until: null } },
    { label: "The last 7 days", period: { since: ago(7), until: null } },
    ...[7, 30, 90].map((days) => ({
      label: `Older than ${days} days`,
      period: { since: null, until: ago(days) },
    })),
  ];
}

/** A time of this machine's clock, to the second. */
export function time(milliseconds: number): string {
  const date = new Date(milliseconds);
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

/** A number of things, such as `1 save` and `1,200 saves`. */
export function counted(count: number, thing: string): string {
  return `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}

function bytes(count: number): string {
  const [size, unit] = count < 1e6 ? [count / 1e3, "kB"] : [count / 1e6, "MB"];
  return `${size < 10 ? size.toFixed(1) : Math.round(size).toLocaleString("en")} ${unit}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}
