// Drives pages in Chromium for the workbench tests: reads one JSON object a line from standard
// input, does what it says, and answers with one JSON object a line. One page is open at a time,
// each with a browser profile of its own. The tests' steps and their patience are in Python.
//
//     node driver.mjs PLAYWRIGHT_CORE CHROMIUM

import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import process from "node:process";

import { readPage } from "./page.mjs";

const [playwright, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(import.meta.url)(playwright);

const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    // The page may talk with the server under test only.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  ],
});
let page;

/** Leaves the page as a user does who goes elsewhere: the workbench ends its extension host. */
async function close() {
  if (page !== undefined) {
    await page.goto("about:blank");
    await page.context().close();
    page = undefined;
  }
}

const steps = {
  open: async ({ url }) => {
    await close();
    const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
    // Unsaved files make the workbench ask whether to leave.
    context.on("dialog", (dialog) => void dialog.accept());
    page = await context.newPage();
    await page.addInitScript(readPage);
    await page.goto(url, { timeout: 120_000, waitUntil: "domcontentloaded" });
  },
  reload: () => page.reload({ timeout: 120_000, waitUntil: "domcontentloaded" }),
  close,
  press: ({ key }) => page.keyboard.press(key),
  down: ({ key }) => page.keyboard.down(key),
  up: ({ key }) => page.keyboard.up(key),
  /** Types each character with its own key events, `delay` milliseconds apart. */
  type: ({ text, delay }) => page.keyboard.type(text, { delay }),
  /** Clicks; on a busy machine what is drawn anew all the time never stands still for Playwright. */
  click: async ({ selector, text }) => {
    const found = page.locator(selector).filter({ hasText: text }).first();
    try {
      await found.click({ timeout: 10_000 });
    } catch {
      await found.click({ timeout: 10_000, force: true });
    }
  },
  /** The texts of all elements that match, with ordinary spaces. */
  texts: async ({ selector }) => {
    const texts = await page.locator(selector).allInnerTexts();
    return texts.map((text) => text.replaceAll("\u00a0", " "));
  },
  attributes: ({ selector, name }) =>
    page.locator(selector).evaluateAll(
      (elements, attribute) => elements.map((element) => element.getAttribute(attribute)),
      name,
    ),
  /** What a function of page.mjs reads. */
  read: ({ what, parameters }) =>
    page.evaluate(([name, given]) => globalThis.editcastTest[name](...given), [what, parameters]),
  evaluate: ({ expression }) => page.evaluate(expression),
  /** Types, and tells how long after its last key something new is drawn; see page.mjs. */
  timeToGhost: async ({ text, delay, keys }) => {
    const drawn = page.evaluate((count) => globalThis.editcastTest.timeToGhost(count), [
      ...text,
      ...keys,
    ].length);
    await page.keyboard.type(text, { delay });
    for (const key of keys) {
      await page.keyboard.press(key);
    }
    return drawn;
  },
  screenshot: async ({ path, clip }) => {
    await page.screenshot({ path, ...(clip ? { clip } : {}) });
  },
};
const ANSWERING = new Set(["texts", "attributes", "read", "evaluate", "timeToGhost"]);

for await (const line of createInterface({ input: process.stdin })) {
  const { step, ...parameters } = JSON.parse(line);
  let answer;
  try {
    const value = await steps[step](parameters);
    answer = { value: ANSWERING.has(step) ? (value ?? null) : null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
