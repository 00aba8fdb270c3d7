import { createNumberSwap, GAP, type NumberPair, type NumberSwap } from "./number-swap.js";

/** Elements without visible text, and editable ones. `^=f` matches "false". */
const UNTOUCHED = "script,style,textarea,[contenteditable]:not([contenteditable^=f])";

/** Nodes within a line. A number may span several of them. */
const INLINE = /^(#.+|[abius]|abbr|bd[io]|em|font|mark|nobr|small|span|strong|time|wbr)$/i;

/** Marks the edge of a line, which no number spans. */
const EDGE = { data: "|" };

/** The scheme of a link to dial, with what some pages write around it. */
const TEL = /^\s*tel:[\s(/]*/i;

const ATTRIBUTES = ["href", "title", "aria-label"];

/** Replaces the numbers in the whole document, and in all later changes to it. Returns a function that restores them. */
export function swapPageNumbers(pairs: readonly NumberPair[]): () => void {
  const swap = createNumberSwap(pairs);
  const observer = new MutationObserver((records) => {
    const seen = new Set<Node>();
    for (const { type, target, addedNodes } of records) {
      for (const node of type === "childList" ? addedNodes : [target]) swapAround(swap, node, seen);
    }
    // Ignores the changes made above.
    observer.takeRecords();
  });
  swapAround(swap);
  observer.observe(document, { childList: true, characterData: true, subtree: true, attributeFilter: ATTRIBUTES });
  return () => {
    observer.disconnect();
    const back = pairs.map(({ original_number, number }) => ({ original_number: number, number: original_number }));
    swapAround(createNumberSwap(back));
  };
}

/**
 * Replaces numbers in a node, by default the whole document, and the lines that contain it, unless already seen. All
 * lines are joined, because one search in a long text is faster than many in short ones.
 */
function swapAround(swap: NumberSwap, node: Node = document.documentElement, seen = new Set<Node>()): void {
  // Elements have no node value. Text without digits cannot be part of a number.
  if (!/\d/.test(node.nodeValue ?? "0")) return;
  let root: Node | null = node;
  while (root && INLINE.test(root.nodeName)) root = root.parentNode;
  if (!(root instanceof Element) || seen.has(root) || root.closest(UNTOUCHED)) return;

  const texts: { data: string }[] = [];
  const read = (node: Node) => {
    if (node instanceof Text && !node.data.includes(GAP)) texts.push(node);
    if (!(node instanceof Element) || node.matches(UNTOUCHED)) return;
    seen.add(node);
    swapAttributes(node, swap);
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
}

function swapAttributes(element: Element, swap: NumberSwap): void {
  for (const name of ATTRIBUTES) {
    let value = element.getAttribute(name) ?? "";
    const toDial = TEL.test(value);
    // `#` and `%` stay escaped, because dialed tones may contain them.
    if (toDial) value = value.replace(/(%(?!2[35])\w\w)+/g, decode).replace(TEL, "tel:");
    const swapped = toDial || name !== "href" ? swap(value, toDial) : value;
    if (swapped !== value) element.setAttribute(name, swapped);
  }
}

/** Decodes escaped characters, and removes those that are not UTF-8. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
