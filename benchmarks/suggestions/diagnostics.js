// What TypeScript's compiler says of states of files; see diagnostics.py.
"use strict";
const fs = require("fs");
const path = require("path");
const ts = require(path.join(__dirname, "../vscode-client/node_modules/typescript"));

const OPTIONS = {
  allowImportingTsExtensions: true,
  jsx: ts.JsxEmit.Preserve,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: true,
  noUnusedLocals: true,
  skipLibCheck: true,
  strict: true,
  target: ts.ScriptTarget.ESNext,
  types: [],
};

/** Return for each state of a commit its errors: file, offset, code, message. */
function errors(commit) {
  const texts = new Map();
  const versions = new Map();
  const files = commit.files.map((file) => path.join(commit.root, file));
  const read = (file) => texts.get(file) ?? ts.sys.readFile(file);
  const service = ts.createLanguageService({
    directoryExists: ts.sys.directoryExists,
    fileExists: (file) => texts.has(file) || ts.sys.fileExists(file),
    getCompilationSettings: () => OPTIONS,
    getCurrentDirectory: () => commit.root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getDirectories: ts.sys.getDirectories,
    getScriptFileNames: () => files,
    getScriptSnapshot: (file) => {
      const text = read(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getScriptVersion: (file) => String(versions.get(file) ?? 0),
    readDirectory: ts.sys.readDirectory,
    readFile: read,
  });
  return commit.states.map((state) => {
    for (const [file, text] of Object.entries(state)) {
      const name = path.join(commit.root, file);
      texts.set(name, text);
      versions.set(name, (versions.get(name) ?? 0) + 1);
    }
    return commit.files.flatMap((file) => {
      const name = path.join(commit.root, file);
      const found = [...service.getSyntacticDiagnostics(name), ...service.getSemanticDiagnostics(name)];
      return found
        .filter((one) => one.start !== undefined && one.category === ts.DiagnosticCategory.Error)
        .map((one) => [file, one.start, one.code, ts.flattenDiagnosticMessageText(one.messageText, " ")]);
    });
  });
}

const commits = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(commits.map(errors)));
