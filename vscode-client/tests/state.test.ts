import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { present } from "../src/state";

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

  it("asks for attention only when there is something to do", () => {
    assert.equal(present("failed").severity, "error");
    assert.equal(present("stopped").severity, "warning");
    assert.equal(present("baseline").severity, "none");
  });
});
