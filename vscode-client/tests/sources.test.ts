import assert from "node:assert/strict";
import { describe as group, it } from "node:test";

import type { SourceCount } from "../src/protocol";
import { describe, isEnough, leftOut, tooLittle } from "../src/training/sources";

const SAVES: SourceCount = {
  kind: "store",
  name: "Saves",
  saves: 312,
  files: 41,
  edits: 913,
  instances: 30,
  commits: null,
};
const LOCAL: SourceCount = { ...SAVES, kind: "local-history", saves: 1, files: 1, edits: 12345, instances: 15 };
const GIT: SourceCount = { ...SAVES, kind: "git", saves: 0, files: 0, edits: 0, instances: 900, commits: 1200 };

group("what there is to train on", () => {
  it("is described by what the user knows", () => {
    assert.equal(describe(SAVES), "312 saves in 41 files, about 910 edits");
    assert.equal(describe(LOCAL), "1 save in 1 file, about 12,000 edits");
    assert.equal(describe(GIT), "1,200 commits");
    assert.equal(describe({ ...SAVES, edits: 0 }), "312 saves in 41 files, about 0 edits");
  });

  it("is enough by instances, or where git does not say", () => {
    assert.ok(!isEnough([SAVES, LOCAL], 50));
    assert.ok(isEnough([SAVES, LOCAL], 45));
    assert.ok(isEnough([SAVES, GIT], 50));
    assert.ok(isEnough([SAVES, { ...GIT, commits: null }], 50));
    assert.ok(!isEnough([], 50));
  });

  it("is said where it is too little, with what to do", () => {
    const said = tooLittle({ sources: [SAVES], needed: 50 });
    assert.match(said, /\(Saves: 312 saves in 41 files, about 910 edits\)\. Training needs about 5,000 edits/);
    assert.match(tooLittle({ sources: [], needed: 50 }), /\(none\)/);
  });

  it("is left out by kinds", () => {
    assert.deepEqual(leftOut([SAVES, LOCAL, LOCAL, GIT], [LOCAL]), ["store", "git"]);
    assert.deepEqual(leftOut([SAVES], [SAVES]), []);
  });
});
