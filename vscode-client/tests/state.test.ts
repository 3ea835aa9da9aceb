import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { explain, present } from "../src/state";

describe("the status bar", () => {
  it("says in words what the icon shows", () => {
    assert.equal(present("ready").text, "$(edit) Editcast: ready");
    assert.equal(present("snoozed").label, "Editcast is snoozed");
    assert.equal(present("disabled").label, "Editcast is off");
  });

  it("keeps its width while a prediction is under way", () => {
    const words = (text: string): string => text.replace(/^\$\([^)]*\)/, "");
    assert.equal(words(present("thinking").text), words(present("ready").text));
  });

  it("says that the file at hand is left alone, but for what concerns all files", () => {
    assert.equal(present("ready", false).text, "$(circle-slash) Editcast: not here");
    assert.equal(present("thinking", false).label, present("ready", false).label);
    assert.equal(present("snoozed", false).label, "Editcast is snoozed");
    assert.equal(present("absent").label, "Editcast is not installed");
  });

  it("asks for attention only when there is something to do", () => {
    assert.equal(present("failed").severity, "error");
    assert.equal(present("stopped").severity, "warning");
    assert.equal(present("baseline").severity, "none");
  });
});

describe("what is said of a prediction", () => {
  const result = { uri: "", version: 1, model: "", milliseconds: 7.4, threshold: 0.5, suggestions: [], otherFiles: [] };

  it("is how sure the best guess is, and how sure it would have to be", () => {
    assert.equal(explain({ ...result, best: 0.471 }), "Best prediction 47 %, shown from 50 %");
    // What is not shown never reads as if it were sure enough.
    assert.equal(explain({ ...result, best: 0.496, threshold: 0.497 }), "Best prediction 49 %, shown from 50 %");
    assert.equal(explain({ ...result, best: null }), "");
  });

  it("is the title of what is shown", () => {
    const [title, confidence] = ["Next edit, line 50: `foo` -> `bar` (93 %)", 0.93];
    const suggestion = { id: "1", edits: [], everywhere: [], line: 49, title, confidence, logProbability: 0, tokenEdits: 1 };
    assert.equal(explain({ ...result, best: 0.93, suggestions: [suggestion] }), `${title}, in 7 ms`);
  });
});
