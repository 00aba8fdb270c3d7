import { awaitsHydration, countPoll, noteChange, POLL_MS, readMarks } from "./hydration.js";
import { type Meanings, takeBack } from "./meanings.js";
import { createNumberSwap, GAP, type NumberPair } from "./number-swap.js";

/**
 * Elements without visible text, editable ones, options whose text a form sends, and links to messages, which a number for
 * calls does not receive. `^=f` matches "false".
 */
const UNTOUCHED =
  "script,style,textarea,:read-write,option:not([value]),[href^=sms i],[href^=viber i],[href*=whatsapp i]" +
  ',[href*="wa.me/" i],[href*="//t.me/" i],[href*="signal.me/" i]';

const TEXT = /^#(text|cdata)/;

/** Nodes within a line. A number may span several of them. */
const INLINE =
  /^(#[ct].+|[abiqsu]|abbr|acronym|bd[io]|big|cite|code|data|del|dfn|em|font|ins|kbd|label|mark|nobr|samp|small|span|strong|su[bp]|time|tspan|tt|var|wbr)$/i;

/** Marks the edge of a line, which no number spans. */
const EDGE = { data: "|" };

/** The scheme of a link to dial, with what some pages write around it. */
const TEL = /^\s*((tel|callto):[\s(\uff08/]*)+/i;

/** Inputs that show their value as a label. */
const BUTTON = "input:is([type=button],[type=submit],[type=reset])";

const ATTRIBUTES = "href xlink:href title aria-label alt value ";

/** Most batches of changes to handle between two polls: a script that undoes each replacement would freeze the page. */
const MAX_CHANGES = 500;

/** Shows pairs in place of those before. */
export type ShowPairs = (pairs: readonly NumberPair[], meanings: Meanings) => void;

/**
 * Replaces the numbers that the tab has shown before by their originals, in the whole document and in all later changes
 * to it. Returns a function that shows numbers there.
 *
 * @param setting returns an attribute of the script tag without `data-`.
 */
export function observePage(setting: (name: string) => string | null, meanings: Meanings): ShowPairs {
  const attributeFilter = (ATTRIBUTES + (setting("attributes") ?? "")).split(/[\s,]+/);
  const roots = new Set<Document | ShadowRoot>();
  /** Nodes with digits that are not hydrated yet. */
  const waiting = new Set<Node>();
  let swap = createNumberSwap(takeBack(meanings, []));
  let isWaiting = true;
  const awaits = (node: Node) => isWaiting && awaitsHydration(node, setting("hydrates")) && waiting.add(node);

  /**
   * Replaces numbers in a node and the lines that contain it, unless already seen. All lines are joined, because one
   * search in a long text is faster than many in short ones.
   */
  const swapAround = (node: Node, seen = new Set<Node>()) => {
    // Elements have no node value. Text without digits cannot be part of a number.
    if (!/\p{Nd}/u.test(node.nodeValue ?? "0")) return;
    let root: Node | null = node;
    while (root && INLINE.test(root.nodeName)) root = root.parentNode;
    if (!root || seen.has(root) || (root as Partial<Element>).closest?.(UNTOUCHED)) return;

    const texts: { data: string }[] = [];
    const read = (node: Node) => {
      // No `instanceof`, because a frame's document may have created the node.
      if (TEXT.test(node.nodeName) && !(node as Text).data.includes(GAP)) {
        texts.push(/\p{Nd}/u.test((node as Text).data) && awaits(node) ? EDGE : (node as Text));
      }
      if (node.nodeType === Node.ELEMENT_NODE) {
        if ((node as Element).matches(UNTOUCHED)) return;
        swapAttributes(node as Element);
        addShadowRoot(node as Element);
      }
      seen.add(node);
      const isLine = !INLINE.test(node.nodeName);
      if (isLine) texts.push(EDGE);
      node.childNodes.forEach(read);
      if (isLine) texts.push(EDGE);
    };
    read(root);
    const swapped = swap(texts.map((text) => text.data).join(GAP)).split(GAP);
    texts.forEach((text, index) => {
      if (text.data !== swapped[index]) text.data = swapped[index] as string;
    });
  };

  const swapAttributes = (element: Element) => {
    for (const name of attributeFilter) {
      const written = element.getAttribute(name);
      if (!written) continue;
      const toDial = TEL.test(written);
      const value = toDial ? normalizeLink(written) : written;
      if (/^(xlink:)?href$/.test(name) ? !toDial : name === "value" && !element.matches(BUTTON)) continue;
      const swapped = swap(value, toDial);
      if (swapped === value || awaits(element)) continue;
      try {
        element.setAttribute(name, swapped);
      } catch {
        // The page's policy forbids changes of event handlers (Trusted Types).
      }
    }
  };

  let changes = 0;
  const observer = new MutationObserver((records) => {
    if (++changes > MAX_CHANGES) return;
    const seen = new Set<Node>();
    readMarks();
    for (const { type, target, addedNodes } of records) {
      if (type !== "childList") noteChange(target);
      for (const node of type === "childList" ? addedNodes : [target]) swapAround(node, seen);
    }
  });

  /** Replaces the numbers in a document or shadow root, and in all later changes to it. */
  const add = (root: Document | ShadowRoot) => {
    roots.add(root);
    swapAround(root);
    observer.observe(root, { childList: true, characterData: true, subtree: true, attributeFilter });
  };

  const addShadowRoot = ({ shadowRoot }: Element) => {
    if (shadowRoot && !roots.has(shadowRoot)) add(shadowRoot);
  };

  /** Replaces numbers in nodes that are hydrated by now, and in new shadow roots, which no observer reports. */
  const poll = () => {
    countPoll();
    if (changes > MAX_CHANGES) for (const root of roots) swapAround(root);
    changes = 0;
    for (const node of waiting) {
      if (!awaits(node) && waiting.delete(node)) swapAround(node);
    }
    for (const root of roots) {
      if (!root.isConnected) roots.delete(root);
      root.querySelectorAll("*").forEach(addShadowRoot);
    }
  };

  const swapAll = (pairs: readonly NumberPair[], waits: boolean) => {
    swap = createNumberSwap(pairs);
    isWaiting = waits;
    for (const root of roots) swapAround(root);
  };

  readMarks();
  add(document);
  poll();
  setInterval(poll, POLL_MS);
  return (pairs, meanings) => {
    const former = takeBack(meanings, pairs);
    // A number that was taken back goes at once, even where a framework may still hydrate.
    if (former[0]) swapAll(former, false);
    if (pairs[0]) swapAll([...former, ...pairs], true);
  };
}

/**
 * Decodes a link to dial, also one escaped as in a form, with a plus sign for a space. `#` and `%` stay escaped, because
 * dialed tones may contain them. Other characters that are not ASCII and escaped, and invisible ones, are removed.
 */
function normalizeLink(link: string): string {
  const decoded = link.replace(/%(?!2[35])(\w\w)|\p{Cf}/gu, (_, hex?: string) =>
    hex && hex < "8" ? String.fromCharCode(Number(`0x${hex}`)) : "",
  );
  return decoded.replace(/([\d)])\+/g, "$1 ").replace(TEL, "$2:");
}
