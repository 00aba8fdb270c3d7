import {
  awaitsHydration,
  countHydrationPoll,
  detectReactComments,
  HYDRATION_POLL_MS,
  recordNodeChange,
} from "./hydration.js";
import { createNumberSwapper, type NumberPair, TEXT_NODE_SEPARATOR } from "./number-swapper.js";
import { createRestoringPairs, recordOriginalNumbers } from "./original-number-by-shown-number.js";
import type { Visit } from "./visit.js";
import { addSourceToLink } from "./visit-link.js";

/** Selects elements that stay unchanged: invisible or editable elements, form data, and messaging links, whose number must receive messages. */
const UNTOUCHED =
  "script,style,textarea,:read-write,option:not([value]),[href^=sms i],[href^=viber i],[href*=whatsapp i]" +
  ',[href*="wa.me/" i],[href*="//t.me/" i],[href*="signal.me/" i]';

const TEXT = /^#(text|cdata)/;

/** Matches the names of nodes that do not end a line of text. A number may span several such nodes. */
const INLINE =
  /^(#[ct].+|[abiqsu]|abbr|acronym|bd[io]|big|cite|code|data|del|dfn|em|font|ins|kbd|label|mark|nobr|samp|small|span|strong|su[bp]|time|tspan|tt|var|wbr)$/i;

/** Stands for the start or end of a line. No number spans it. */
const EDGE = { data: "|" };

/** Matches the scheme of a phone link, and the characters that some pages write around the scheme. */
const TEL = /^\s*((tel(prompt)?|callto):[\s(\uff08/]*)+/i;

/** Selects the inputs that show their value as a label. */
const BUTTON = "input:is([type=button],[type=submit],[type=reset])";

const ATTRIBUTES = "href xlink:href title aria-label alt value ";

/** Matches the names of attributes that visitors read or hear. "Tel:" is a label in them, not the scheme of a link. */
const READABLE = /^(title|aria-.+|alt|value)$/;

/** Maximum number of batches of changes handled between two polls. Without it, a script that undoes every replacement would freeze the page. */
const MAX_CHANGES = 500;

/** How long the script searches for new shadow roots after the page has changed or the visitor has acted. */
const BUSY_MS = 10_000;

/** The pause after a search for shadow roots, as a multiple of how long the search took. A search takes long on large pages. */
const SEARCH_PAUSE = 100;

/**
 * Shows the numbers of `pairs` instead of the numbers shown before. Returns the pairs that the page shows, because the page can omit some of `pairs`.
 */
export type ShowNumberPairs = <Pair extends NumberPair>(pairs: readonly Pair[]) => readonly Pair[];

/**
 * Replaces numbers that the tab has shown earlier with their original numbers, in the document and in later changes to it. Adds the source of the
 * visit to links to other hosts of the site. Returns a function that shows numbers in the document and records their original numbers in the visit.
 *
 * @param setting returns a setting of the script by its name without `data-`; null if it is not set.
 */
export function startNumberSwapping(setting: (name: string) => string | null, visit: Visit): ShowNumberPairs {
  const attributeFilter = (ATTRIBUTES + (setting("attributes") ?? "")).split(/[\s,]+/);
  const roots = new Set<Document | ShadowRoot>();
  /** Nodes that contain digits and wait for hydration. */
  const waiting = new Set<Node>();
  let swap = createNumberSwapper(createRestoringPairs(visit.meanings, []));
  let isWaiting = true;
  const awaits = (node: Node) => isWaiting && awaitsHydration(node, setting("hydrates")) && waiting.add(node);

  /** Replaces the numbers in the block that contains a node, unless the block is in `seen`. One search in the joined texts is faster than many. */
  const swapAround = (node: Node, seen = new Set<Node>()) => {
    // Skips text without digits, which cannot be part of a number. Elements have no node value and are not skipped.
    if (!/\p{Nd}/u.test(node.nodeValue ?? "0")) return;
    let root: Node | null = node;
    while (root && INLINE.test(root.nodeName)) root = root.parentNode;
    if (!root || seen.has(root) || (root as Partial<Element>).closest?.(UNTOUCHED)) return;

    const texts: { data: string }[] = [];
    const read = (node: Node) => {
      // Does not use `instanceof`, because the document of a frame may have created the node.
      if (TEXT.test(node.nodeName) && !(node as Text).data.includes(TEXT_NODE_SEPARATOR)) {
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
    const swapped = swap(texts.map((text) => text.data).join(TEXT_NODE_SEPARATOR)).split(TEXT_NODE_SEPARATOR);
    texts.forEach((text, index) => {
      if (text.data !== swapped[index]) text.data = swapped[index] as string;
    });
  };

  const swapAttributes = (element: Element) => {
    for (const name of attributeFilter) {
      const written = element.getAttribute(name);
      if (!written) continue;
      const toDial = !READABLE.test(name) && TEL.test(written);
      const value = toDial ? normalizeLink(written) : written;
      if (/^(xlink:)?href$/.test(name) ? !toDial : name === "value" && !element.matches(BUTTON)) continue;
      const swapped = swap(value, toDial);
      if (swapped === value || awaits(element)) continue;
      try {
        element.setAttribute(name, swapped);
      } catch {
        // The page's Trusted Types policy forbids changing event handler attributes.
      }
    }
  };

  let changes = 0;
  const observer = new MutationObserver((records) => {
    noteActivity();
    if (++changes > MAX_CHANGES) return;
    const seen = new Set<Node>();
    detectReactComments();
    for (const { type, target, addedNodes } of records) {
      if (type !== "childList") recordNodeChange(target);
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

  let busyUntil = 0;
  let nextSearch = 0;
  const noteActivity = () => {
    busyUntil = Date.now() + BUSY_MS;
  };

  /** Finds shadow roots that scripts have attached to elements. Mutation observers do not report them. */
  const findShadowRoots = (now: number) => {
    for (const root of roots) {
      if (!root.isConnected) roots.delete(root);
      root.querySelectorAll("*").forEach(addShadowRoot);
    }
    nextSearch = now + (Date.now() - now) * SEARCH_PAUSE;
  };

  const poll = () => {
    countHydrationPoll();
    if (changes > MAX_CHANGES) for (const root of roots) swapAround(root);
    changes = 0;
    for (const node of waiting) {
      if (!awaits(node) && waiting.delete(node)) swapAround(node);
    }
    const now = Date.now();
    if (now < busyUntil && now >= nextSearch) findShadowRoots(now);
  };

  const swapAll = (pairs: readonly NumberPair[], waits: boolean) => {
    swap = createNumberSwapper(pairs);
    isWaiting = waits;
    for (const root of roots) swapAround(root);
  };

  // Capturing listeners run before the page's own listeners, which may read the link. The middle mouse button dispatches `auxclick`.
  for (const type of ["click", "auxclick", "keydown", "scroll"]) {
    addEventListener(
      type,
      (event) => {
        noteActivity();
        addSourceToLink(event.composedPath(), visit);
      },
      true,
    );
  }
  noteActivity();
  detectReactComments();
  add(document);
  poll();
  setInterval(poll, HYDRATION_POLL_MS);
  return (pairs) => {
    const shown = recordOriginalNumbers(visit.meanings, pairs);
    const former = createRestoringPairs(visit.meanings, shown);
    // Replaces withdrawn numbers immediately, even in elements that wait for hydration.
    if (former[0]) swapAll(former, false);
    if (shown[0]) swapAll([...former, ...shown], true);
    return shown;
  };
}

/**
 * Decodes a phone link. In a form-encoded link, a plus sign after a digit or bracket stands for a space. Keeps `#` and `%` escaped, because dialed
 * tones may contain them. Removes escaped non-ASCII characters and invisible characters.
 */
function normalizeLink(link: string): string {
  const decoded = link.replace(/%(?!2[35])(\w\w)|\p{Cf}/gu, (_, hex?: string) =>
    hex && hex < "8" ? String.fromCharCode(Number(`0x${hex}`)) : "",
  );
  return decoded.replace(/([\d)])\+/g, "$1 ").replace(TEL, "$2:");
}
