import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";

import { Chain, CHAIN_MS } from "../src/offers/chain";

describe("the end of a chain", () => {
  let changes = 0;
  let chain = new Chain(() => undefined);

  beforeEach(() => {
    mock.timers.enable({ apis: ["setTimeout"] });
    changes = 0;
    chain = new Chain(() => {
      changes += 1;
    });
  });
  afterEach(() => {
    mock.timers.reset();
  });

  it("swallows one Tab within a second after the last accept", () => {
    assert.ok(!chain.swallows());
    chain.accept();
    mock.timers.tick(CHAIN_MS - 1);
    chain.accept();
    mock.timers.tick(CHAIN_MS - 1);
    assert.ok(chain.goesOn);
    assert.ok(chain.swallows());
    assert.ok(!chain.goesOn);
    assert.ok(!chain.swallows());
    chain.accept();
    mock.timers.tick(CHAIN_MS);
    assert.equal(changes, 1);
    assert.ok(!chain.swallows());
  });

  it("is marked for a second once nothing more is found", () => {
    chain.find(false);
    assert.ok(!chain.isMarked); // nothing was accepted
    chain.accept();
    assert.ok(!chain.isMarked);
    chain.find(false);
    assert.ok(chain.isMarked);
    assert.ok(chain.swallows());
    assert.ok(chain.isMarked);
    mock.timers.tick(CHAIN_MS);
    assert.equal(changes, 1);
    assert.ok(!chain.isMarked);
    chain.accept();
    chain.find(true);
    chain.find(false);
    assert.ok(!chain.isMarked); // there was more, which the user has not taken
  });

  it("is over once the user does something else", () => {
    chain.accept();
    chain.find(false);
    chain.end();
    assert.ok(!chain.goesOn && !chain.isMarked && !chain.swallows());
    mock.timers.tick(CHAIN_MS);
    assert.equal(changes, 0);
  });
});
