import { awaitsHydration, countPoll, detectReactComments, POLL_MS, recordChange } from "./hydration.js";
import { createNumberSwap, type NumberPair, TEXT_GAP } from "./number-swap.js";
import { findFormerPairs, recordOriginals } from "./originals-by-number.js";
import type { Visit } from "./visit.js";
import { carryVisitSource } from "./visit-link.js";

/** Elements that stay unchanged: invisible, editable or sent by a form, and messaging links, whose number must receive messages. */
const UNTOUCHED =
  "script,style,textarea,:read-write,option:not([value]),[href^=sms i],[href^=viber i],[href*=whatsapp i]" +
  ',[href*="wa.me/" i],[href*="//t.me/" i],[href*="signal.me/" i]';

const TEXT = /^#(text|cdata)/;

/** Names of nodes within a line. A number may span several of them. */
const INLINE =
  /^(#[ct].+|[abiqsu]|abbr|acronym|bd[io]|big|cite|code|data|del|dfn|em|font|ins|kbd|label|mark|nobr|samp|small|span|strong|su[bp]|time|tspan|tt|var|wbr)$/i;

/** Marks the edge of a line. No number spans it. */
const EDGE = { data: "|" };

/** The scheme of a phone link, with the characters that some pages write around it. */
const TEL = /^\s*((tel(prompt)?|callto):[\s(\uff08/]*)+/i;

/** Inputs that show their value as a label. */
const BUTTON = "input:is([type=button],[type=submit],[type=reset])";

const ATTRIBUTES = "href xlink:href title aria-label alt value ";

/** Maximum number of change batches handled between two polls. Otherwise, a script that undoes each replacement would freeze the page. */
const MAX_CHANGES = 500;

/** How long to search for new shadow roots after a change of the page or an action of the visitor. */
const BUSY_MS = 10_000;

/** The pause after a search for shadow roots, as a multiple of the search's duration. On large pages a search takes long. */
const SEARCH_PAUSE = 100;

/** Shows pairs instead of the previous ones. Returns the pairs that can be shown. */
export type ShowPairs = <Pair extends NumberPair>(pairs: readonly Pair[]) => readonly Pair[];

/**
 * Replaces the numbers that the tab has shown before with their originals, in the document and in all later changes to it. Adds the source of the
 * visit to links to other hosts of the site. Returns a function that shows numbers in the document, and records their originals in the visit.
 *
 * @param setting returns an attribute of the script tag without `data-`.
 */
export function observePage(setting: (name: string) => string | null, visit: Visit): ShowPairs {
  const attributeFilter = (ATTRIBUTES + (setting("attributes") ?? "")).split(/[\s,]+/);
  const roots = new Set<Document | ShadowRoot>();
  /** Nodes with digits that are not hydrated yet. */
  const waiting = new Set<Node>();
  let swap = createNumberSwap(findFormerPairs(visit.meanings, []));
  let isWaiting = true;
  const awaits = (node: Node) => isWaiting && awaitsHydration(node, setting("hydrates")) && waiting.add(node);

  /** Replaces numbers in a node and its lines, unless in `seen`. One search in a long text is faster than many in short texts. */
  const swapAround = (node: Node, seen = new Set<Node>()) => {
    // Elements have no node value. Text without digits cannot be part of a number.
    if (!/\p{Nd}/u.test(node.nodeValue ?? "0")) return;
    let root: Node | null = node;
    while (root && INLINE.test(root.nodeName)) root = root.parentNode;
    if (!root || seen.has(root) || (root as Partial<Element>).closest?.(UNTOUCHED)) return;

    const texts: { data: string }[] = [];
    const read = (node: Node) => {
      // No `instanceof`, because a frame's document may have created the node.
      if (TEXT.test(node.nodeName) && !(node as Text).data.includes(TEXT_GAP)) {
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
    const swapped = swap(texts.map((text) => text.data).join(TEXT_GAP)).split(TEXT_GAP);
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
    noteActivity();
    if (++changes > MAX_CHANGES) return;
    const seen = new Set<Node>();
    detectReactComments();
    for (const { type, target, addedNodes } of records) {
      if (type !== "childList") recordChange(target);
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

  /** Finds shadow roots that scripts have attached to elements. Observers do not report them. */
  const findShadowRoots = (now: number) => {
    for (const root of roots) {
      if (!root.isConnected) roots.delete(root);
      root.querySelectorAll("*").forEach(addShadowRoot);
    }
    nextSearch = now + (Date.now() - now) * SEARCH_PAUSE;
  };

  const poll = () => {
    countPoll();
    if (changes > MAX_CHANGES) for (const root of roots) swapAround(root);
    changes = 0;
    for (const node of waiting) {
      if (!awaits(node) && waiting.delete(node)) swapAround(node);
    }
    const now = Date.now();
    if (now < busyUntil && now >= nextSearch) findShadowRoots(now);
  };

  const swapAll = (pairs: readonly NumberPair[], waits: boolean) => {
    swap = createNumberSwap(pairs);
    isWaiting = waits;
    for (const root of roots) swapAround(root);
  };

  // Capturing listeners run before the page's own, which may read the link. The middle mouse button dispatches `auxclick`.
  for (const type of ["click", "auxclick", "keydown", "scroll"]) {
    addEventListener(
      type,
      (event) => {
        noteActivity();
        carryVisitSource(event.composedPath(), visit);
      },
      true,
    );
  }
  noteActivity();
  detectReactComments();
  add(document);
  poll();
  setInterval(poll, POLL_MS);
  return (pairs) => {
    const shown = recordOriginals(visit.meanings, pairs);
    const former = findFormerPairs(visit.meanings, shown);
    // A withdrawn number is replaced immediately, even in elements that are not hydrated yet.
    if (former[0]) swapAll(former, false);
    if (shown[0]) swapAll([...former, ...shown], true);
    return shown;
  };
}

/**
 * Decodes a phone link, even if it is form-encoded, with a plus sign for a space. `#` and `%` stay escaped, because dialed tones may contain
 * them. Escaped non-ASCII characters and invisible characters are removed.
 */
function normalizeLink(link: string): string {
  const decoded = link.replace(/%(?!2[35])(\w\w)|\p{Cf}/gu, (_, hex?: string) =>
    hex && hex < "8" ? String.fromCharCode(Number(`0x${hex}`)) : "",
  );
  return decoded.replace(/([\d)])\+/g, "$1 ").replace(TEL, "$2:");
}
