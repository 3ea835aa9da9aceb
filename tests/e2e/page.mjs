// Runs inside the page: reads what the workbench has drawn. A decoration's text is the `content` of
// a pseudo element, which no ordinary query of the document sees.

/** Makes `editcastTest` in the page; a function of its own text, since the page imports nothing. */
export function readPage() {
  const GHOST_PATIENCE_MS = 3_000;
  const TYPING_PATIENCE_MS = 30_000;
  const NOTHING = "[[],[]]";

  const spaced = (text) => text.replaceAll("\u00a0", " ");

  /** Elements from top to bottom and left to right: the editor keeps its lines in any order. */
  const inPlace = (elements) =>
    elements
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .sort((a, b) => a.box.top - b.box.top || a.box.left - b.box.left)
      .map(({ element }) => element);

  /** The lines that are to be seen: notebooks of other tabs stay in the document, far outside. */
  const lines = () =>
    inPlace(
      [...document.querySelectorAll(".monaco-editor .view-lines .view-line")].filter(
        (line) => line.checkVisibility() && line.getBoundingClientRect().right > 0,
      ),
    );

  /** A CSS string as the text it stands for; empty for `none`, `normal` and pictures. */
  const unquoted = (content) => {
    const quoted = /^(["'])(.*)\1$/s.exec(content);
    return quoted === null
      ? ""
      : quoted[2].replace(/\\([0-9a-fA-F]{1,6})\s?|\\(.)/gs, (_, code, plain) =>
          code === undefined ? plain : String.fromCodePoint(parseInt(code, 16)),
        );
  };

  /** The texts of an element's pseudo elements. */
  const pseudoTexts = (element) =>
    ["::before", "::after"]
      .map((pseudo) => spaced(unquoted(getComputedStyle(element, pseudo).content)))
      .filter((text) => text !== "");

  /** The texts of the pseudo elements of all that matches, in the order of the document. */
  const textsOfPseudo = (selector) => [...document.querySelectorAll(selector)].flatMap(pseudoTexts);

  /** What decorations add to the visible lines, from top to bottom. */
  const ghosts = () =>
    lines().flatMap((line) => [line, ...line.querySelectorAll("*")].flatMap(pseudoTexts));

  const isStruck = (element) =>
    getComputedStyle(element).textDecorationLine.includes("line-through");

  /** The runs of text that are struck through: one decoration may be several syntax tokens. */
  const struck = () =>
    lines().flatMap((line) => {
      const runs = [];
      let open = false;
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        let element = node.parentElement;
        while (element !== line && !isStruck(element)) {
          element = element.parentElement;
        }
        const is = isStruck(element);
        if (is) {
          runs.push((open ? runs.pop() : "") + spaced(node.data));
        }
        open = is;
      }
      return runs;
    });

  const hasPicture = (element) =>
    [undefined, "::before", "::after"].some(
      (pseudo) => getComputedStyle(element, pseudo).backgroundImage !== "none",
    );

  /** The numbers of the lines that have a picture in the gutter. */
  const gutterIcons = () => {
    const numbers = [...document.querySelectorAll(".monaco-editor .margin .line-numbers")];
    const found = [...document.querySelectorAll(".monaco-editor .glyph-margin-widgets .cgmr")]
      .filter(hasPicture)
      .map((icon) => {
        const top = Math.round(icon.getBoundingClientRect().top);
        const beside = numbers.find(
          (number) => Math.round(number.getBoundingClientRect().top) === top,
        );
        return beside === undefined ? null : Number(beside.textContent);
      });
    return found.sort((a, b) => a - b);
  };

  const text = () => lines().map((line) => spaced(line.textContent));

  /**
   * Milliseconds from the last of the next `count` keys to the first frame in which something is
   * drawn that was not drawn at that key; null when nothing comes.
   */
  const timeToGhost = (count) =>
    new Promise((resolve) => {
      let left = count;
      let pressed;
      let before;
      const seen = () => JSON.stringify([ghosts(), struck()]);
      const poll = () => {
        const now = performance.now();
        const found = seen();
        if (found !== before && found !== NOTHING) {
          resolve(now - pressed);
        } else if (now - pressed < GHOST_PATIENCE_MS) {
          requestAnimationFrame(poll);
        }
      };
      const onKey = (event) => {
        if (["Control", "Shift", "Alt", "Meta"].includes(event.key)) {
          return; // `Control+s` is one key
        }
        left -= 1;
        if (left === 0) {
          window.removeEventListener("keydown", onKey, true);
          pressed = performance.now();
          before = seen();
          setTimeout(() => resolve(null), GHOST_PATIENCE_MS);
          requestAnimationFrame(poll);
        }
      };
      window.addEventListener("keydown", onKey, true);
      setTimeout(() => resolve(null), TYPING_PATIENCE_MS);
    });

  globalThis.editcastTest = { ghosts, gutterIcons, struck, text, textsOfPseudo, timeToGhost };
}
