/** Selects the elements that frameworks hydrate by convention: the roots of Next, Nuxt, Gatsby, React and Vue apps, and Astro's islands. */
const ROOTS = "div[id^=__],#root,#app,astro-island";

/** Matches the comments that React's server renderer writes between adjacent texts and around Suspense boundaries. */
const REACT_COMMENT = /^(\$| $)/;

/** The value of `NodeFilter.SHOW_COMMENT`. */
const SHOW_COMMENT = 128;

/** How often the script checks whether waiting nodes are hydrated. */
export const HYDRATION_POLL_MS = 500;

/** How many times the script checks for hydration after the page has loaded: for 10 seconds. */
const MAX_POLLS = 20;

/** React's flag for a tree that React is hydrating. React clears the flag when it commits the tree. */
const HYDRATING = 4096;

/** React's own record of a DOM node, in the node's property `__reactFiber$…`. */
interface Fiber {
  /** Null if React does not own the node's content, or if the content is a single text. */
  readonly child: object | null;
  readonly return: Fiber | undefined;
  readonly flags: number;
}

type Owner = Node & Record<string, Fiber | undefined>;

/** Matches the properties that Vue 2, Vue 3 and Preact add to elements that they have rendered or hydrated. */
const RENDERED = /^__(vue|k$)/;

/** Nodes that scripts added or changed. Frameworks no longer hydrate these nodes. */
const changed = new WeakSet<Node>();

let isReactPage = false;
let polls = 0;

/** Records nodes that scripts insert after the page was parsed. Ignores nodes that move, such as Suspense content that the server sends late. */
const insertions = new MutationObserver((records) => {
  if (document.readyState === "loading") return;
  const moved = new Set(records.flatMap(({ removedNodes }) => [...removedNodes]));
  for (const { addedNodes } of records) {
    for (const node of addedNodes) if (!moved.has(node)) changed.add(node);
  }
});
insertions.observe(document, { childList: true, subtree: true });
// Discards the parser's last insertions. Otherwise, the observer would report them when `readyState` is no longer `loading`.
document.addEventListener("readystatechange", () => insertions.takeRecords());

/** Counts the checks for hydration after the page has loaded. The first call also records the framework roots that scripts rendered. */
export function countHydrationPoll(): void {
  if (document.readyState !== "complete" || polls++ || isReactPage) return;
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  for (const root of document.querySelectorAll(ROOTS)) {
    // Scripts rendered a root that is larger than the page that the server sent. The size of that page is 0 if it is unknown.
    if (page?.decodedBodySize && root.outerHTML.length > page.decodedBodySize) changed.add(root);
  }
}

/** Detects whether the page contains comments from React's server renderer. Does nothing once the page has loaded. */
export function detectReactComments(): void {
  const comments = document.createNodeIterator(document, SHOW_COMMENT);
  while (!polls && !isReactPage && comments.nextNode()) {
    isReactPage = REACT_COMMENT.test(comments.referenceNode.nodeValue as string);
  }
}

/** Records that a script changed the text or an attribute of a node. Does nothing before the page has loaded. */
export function recordNodeChange(node: Node): void {
  if (polls) changed.add(node);
}

/**
 * Reports whether a framework may still hydrate a node. If dni.js changed a node before its hydration, the framework would render the page again.
 *
 * @param roots a selector of the elements that are hydrated. Default: the whole page if it contains React's comments, otherwise `ROOTS`.
 */
export function awaitsHydration(node: Node, roots?: string | null): boolean {
  for (let owner = node as Owner | null; owner && polls < MAX_POLLS; owner = owner.parentNode as Owner | null) {
    const keys = Object.keys(owner);
    if (changed.has(owner) || keys.some((key) => RENDERED.test(key))) return false;
    let fiber = owner[keys.find((key) => /^__reactF/.test(key)) as string];
    if (fiber) {
      // A node without a fiber, within an element whose fiber has children, is in a Suspense boundary that hydrates later.
      if (owner !== node && fiber.child) return true;
      while (fiber && !(fiber.flags & HYDRATING)) fiber = fiber.return;
      return !!fiber;
    }
    if ((owner as Partial<Element>).matches?.(roots || (isReactPage ? "html" : ROOTS))) return true;
  }
  return false;
}
