// Drives one page in Chromium for the workbench tests: reads one JSON object a line from standard
// input, does what it says, and answers with one JSON object a line. Knows the browser only, not
// VS Code; the tests' steps and their patience are in Python.
//
//     node driver.mjs PLAYWRIGHT_CORE CHROMIUM

import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import process from "node:process";

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
const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });

const steps = {
  open: ({ url }) => page.goto(url, { timeout: 120_000, waitUntil: "domcontentloaded" }),
  press: ({ key }) => page.keyboard.press(key),
  type: ({ text }) => page.keyboard.type(text),
  click: ({ selector, text }) =>
    page.locator(selector).filter({ hasText: text }).first().click({ timeout: 10_000 }),
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
  screenshot: ({ path }) => page.screenshot({ path }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { step, ...parameters } = JSON.parse(line);
  let answer;
  try {
    const value = await steps[step](parameters);
    answer = { value: step === "texts" || step === "attributes" ? value : null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
