// The end of a chain of accepted offers: no VS Code API here.

/** Milliseconds after an accept in which a Tab belongs to the chain, and for which the mark shows. */
export const CHAIN_MS = 1000;

/**
 * Whoever takes one offer after the other presses Tab once more than there are offers: that Tab is
 * not to indent. Whatever else the user does ends the chain.
 */
export class Chain {
  private recent: NodeJS.Timeout | undefined;
  private mark: NodeJS.Timeout | undefined;
  private waits = false;

  /** @param changed called when one of the properties is another now */
  constructor(private readonly changed: () => void) {}

  /** True just after an accept: a Tab that finds no offer is swallowed then. */
  get goesOn(): boolean {
    return this.recent !== undefined;
  }

  /** True while the mark shows that there is nothing more. */
  get isMarked(): boolean {
    return this.mark !== undefined;
  }

  accept(): void {
    this.end();
    this.waits = true;
    this.recent = setTimeout(() => {
      this.recent = undefined;
      this.changed();
    }, CHAIN_MS);
  }

  /** A prediction for the text as it is now has come, with an offer or without one. */
  find(isMore: boolean): void {
    if (this.waits && !isMore) {
      this.mark = setTimeout(() => {
        this.mark = undefined;
        this.changed();
      }, CHAIN_MS);
    }
    this.waits = false;
  }

  end(): void {
    clearTimeout(this.recent);
    clearTimeout(this.mark);
    this.recent = this.mark = undefined;
    this.waits = false;
  }

  /** Return true if a Tab that found no offer belongs to the chain; the next one does not. */
  swallows(): boolean {
    const swallowed = this.goesOn;
    clearTimeout(this.recent);
    this.recent = undefined;
    return swallowed;
  }
}
