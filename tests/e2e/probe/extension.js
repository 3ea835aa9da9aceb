// For Editcast's tests only. Runs in the extension host that Editcast runs in, so that what it
// measures is what Editcast, with all else there, does to it.

const { readFileSync, renameSync, writeFileSync } = require("node:fs");
const { monitorEventLoopDelay } = require("node:perf_hooks");
const vscode = require("vscode");

const RESOLUTION_MS = 1;
let delays;

function startMeasuring() {
  delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
}

/** How much later than asked for the timer fired, in milliseconds. */
function stopMeasuring() {
  delays.disable();
  const pause = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  const result = {
    p50: pause(delays.percentile(50)),
    p95: pause(delays.percentile(95)),
    p99: pause(delays.percentile(99)),
    max: pause(delays.max),
  };
  const path = vscode.workspace.getConfiguration("probe").get("result");
  writeFileSync(`${path}.partial`, JSON.stringify(result));
  renameSync(`${path}.partial`, path);
}

/** On lines 1 to 3: text after and before the line, a line struck through, and an arrow. */
function draw() {
  const editor = vscode.window.activeTextEditor;
  const arrow = "<svg xmlns='http://www.w3.org/2000/svg' width='16' height='16'><path d='M0 0h9v9z'/></svg>";
  const kinds = [
    { after: { contentText: "  it's \\ \"after\"" } },
    { textDecoration: "line-through" },
    {
      before: { contentText: "before " },
      gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;utf8,${encodeURIComponent(arrow)}`),
    },
  ];
  for (const [line, kind] of kinds.entries()) {
    const { range } = editor.document.lineAt(line);
    editor.setDecorations(vscode.window.createTextEditorDecorationType(kind), [range]);
  }
}

let suggesting;
let suggestions = 0;

/** Suggest what `FILE.suggestion` says as VS Code lets extensions suggest; says when it was asked. */
async function suggestInline() {
  const path = `${vscode.window.activeTextEditor.document.fileName}.suggestion`;
  const { line, start, end, text } = JSON.parse(readFileSync(path, "utf8"));
  suggesting?.dispose();
  suggesting = vscode.languages.registerInlineCompletionItemProvider("*", {
    provideInlineCompletionItems: () => [
      new vscode.InlineCompletionItem(text, new vscode.Range(line, start, line, end)),
    ],
  });
  await vscode.commands.executeCommand("editor.action.inlineSuggest.trigger");
  suggestions += 1;
  vscode.window.setStatusBarMessage(`suggestion ${suggestions} was asked for`);
}

/** Say what an extension for Vim says in a mode in which Esc leads back to the normal one. */
async function enterReplaceMode() {
  await vscode.commands.executeCommand("setContext", "vim.active", true);
  await vscode.commands.executeCommand("setContext", "vim.mode", "Replace");
  vscode.window.setStatusBarMessage("-- REPLACE --");
}

exports.activate = (context) => {
  context.subscriptions.push(
    { dispose: () => suggesting?.dispose() },
    vscode.commands.registerCommand("probe.suggestInline", suggestInline),
    vscode.commands.registerCommand("probe.draw", draw),
    vscode.commands.registerCommand("probe.enterReplaceMode", enterReplaceMode),
    vscode.commands.registerCommand("probe.startMeasuring", startMeasuring),
    vscode.commands.registerCommand("probe.stopMeasuring", stopMeasuring),
  );
};
