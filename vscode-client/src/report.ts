// The newest evaluation report that Editcast has written on this machine.

import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Reports lie beside the model or the run that they are about, not deeper. */
const DEPTH = 4;

/** The folder of everything that Editcast writes, as model/editcast_model/paths.py has it. */
export function editcastHome(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  user: string = homedir(),
): string {
  const chosen = environment.EDITCAST_HOME;
  if (chosen !== undefined && chosen !== "") {
    return chosen.replace(/^~(?=$|[\\/])/, user);
  }
  if (platform === "win32") {
    return join(environment.LOCALAPPDATA ?? join(user, "AppData", "Local"), "editcast");
  }
  if (platform === "darwin") {
    return join(user, "Library", "Application Support", "editcast");
  }
  const data = environment.XDG_DATA_HOME?.trim() ?? "";
  return join(isAbsolute(data) ? data : join(user, ".local", "share"), "editcast");
}

/** The HTML page changed last in a folder or below it, or undefined when there is none. */
export async function newestReport(folder: string, depth = DEPTH): Promise<string | undefined> {
  let newest: { path: string; time: number } | undefined;
  for (const path of await pages(folder, depth)) {
    const time = (await stat(path)).mtimeMs;
    if (newest === undefined || newest.time < time) {
      newest = { path, time };
    }
  }
  return newest?.path;
}

async function pages(folder: string, depth: number): Promise<string[]> {
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch {
    return []; // nothing was ever written, or it is not for us to read
  }
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0) {
      found.push(...(await pages(path, depth - 1)));
    } else if (entry.isFile() && entry.name.endsWith(".html")) {
      found.push(path);
    }
  }
  return found;
}

/** The page with its relative addresses of pictures and styles replaced by what `resolve` gives. */
export function withResolvedAddresses(html: string, resolve: (address: string) => string): string {
  return html.replace(
    /\b(src|href)="(?![a-z][a-z0-9+.-]*:|#|\/)([^"]+)"/gi,
    (_whole, attribute: string, address: string) => `${attribute}="${resolve(address)}"`,
  );
}
