/** Elements that frameworks hydrate by convention: the roots of Next, Nuxt, Gatsby, React and Vue, and Astro's islands. */
const ROOTS = "div[id^=__],#root,#app,astro-island";

/** The comments that React's server renderer writes between texts and around boundaries. */
const REACT_COMMENT = /^(\$| $)/;

/** `NodeFilter.SHOW_COMMENT` */
const SHOW_COMMENT = 128;

/** The interval at which to check whether nodes are hydrated. */
export const POLL_MS = 500;

/** The number of checks after the page has loaded. They take 10 seconds. */
const MAX_POLLS = 20;

/** React's flag for a tree that is being hydrated. React clears it when it commits the tree. */
const HYDRATING = 4096;

/** React's record of a node, the value of the node's property `__reactFiber$…`. */
interface Fiber {
  /** Null if React does not own the content, or if the content is a single text. */
  readonly child: object | null;
  readonly return: Fiber | undefined;
  readonly flags: number;
}

type Owner = Node & Record<string, Fiber | undefined>;

/** Properties of elements that Vue 2, Vue 3 and Preact have rendered or hydrated. */
const RENDERED = /^__(vue|k$)/;

/** Nodes that scripts added or changed, and that frameworks therefore no longer hydrate. */
const changed = new WeakSet<Node>();

let isReactPage = false;
let polls = 0;

/** Records nodes that scripts insert after parsing. Ignores moved nodes, such as late Suspense content from the server. */
const insertions = new MutationObserver((records) => {
  if (document.readyState === "loading") return;
  const moved = new Set(records.flatMap(({ removedNodes }) => [...removedNodes]));
  for (const { addedNodes } of records) {
    for (const node of addedNodes) if (!moved.has(node)) changed.add(node);
  }
});
insertions.observe(document, { childList: true, subtree: true });
// Discards the parser's last insertions, which the observer would report after the parser changed the state.
document.addEventListener("readystatechange", () => insertions.takeRecords());

/** Counts the polls after the page has loaded. The first one also records the roots that scripts rendered. */
export function countPoll(): void {
  if (document.readyState !== "complete" || polls++ || isReactPage) return;
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  for (const root of document.querySelectorAll(ROOTS)) {
    // A root that is larger than the page from the server was rendered by scripts. The size is 0 if it is unknown.
    if (page?.decodedBodySize && root.outerHTML.length > page.decodedBodySize) changed.add(root);
  }
}

/** Detects the comments that React's server renderer writes. Does nothing once the page has loaded. */
export function detectReactComments(): void {
  const comments = document.createNodeIterator(document, SHOW_COMMENT);
  while (!polls && !isReactPage && comments.nextNode()) {
    isReactPage = REACT_COMMENT.test(comments.referenceNode.nodeValue as string);
  }
}

/** Records a node whose text or attribute changed. Does nothing before the page has loaded. */
export function recordChange(node: Node): void {
  if (polls) changed.add(node);
}

/**
 * Reports whether a framework may still hydrate a node. If the node changed before its hydration, the framework would render the page again.
 *
 * @param roots selector of the elements that are hydrated. By default, `ROOTS`, or the whole page if it has React's comments.
 */
export function awaitsHydration(node: Node, roots?: string | null): boolean {
  for (let owner = node as Owner | null; owner && polls < MAX_POLLS; owner = owner.parentNode as Owner | null) {
    const keys = Object.keys(owner);
    if (changed.has(owner) || keys.some((key) => RENDERED.test(key))) return false;
    let fiber = owner[keys.find((key) => /^__reactF/.test(key)) as string];
    if (fiber) {
      // Nodes without a fiber below an element whose fiber has children are in a boundary that hydrates later.
      if (owner !== node && fiber.child) return true;
      while (fiber && !(fiber.flags & HYDRATING)) fiber = fiber.return;
      return !!fiber;
    }
    if ((owner as Partial<Element>).matches?.(roots || (isReactPage ? "html" : ROOTS))) return true;
  }
  return false;
}
