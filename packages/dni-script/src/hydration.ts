/** Elements that frameworks hydrate by custom: the roots of Next, Nuxt, Gatsby, React and Vue, and Astro's islands. */
const ROOTS = "div[id^=__],#root,#app,astro-island";

/** The comments that React's server renderer writes between texts and around boundaries. */
const REACT_COMMENT = /^(\$| $)/;

/** `NodeFilter.SHOW_COMMENT` */
const SHOW_COMMENT = 128;

/** How often to look whether nodes are hydrated. */
export const POLL_MS = 500;

/** How often to look after the page has loaded: for 10 seconds. */
const MAX_POLLS = 20;

/** React's flag of a tree that is being hydrated. React clears it when it commits the tree. */
const HYDRATING = 4096;

/** React's record of a node, the value of the node's property `__reactFiber$…`. */
interface Fiber {
  /** Absent if React does not own the content, or if the content is one text. */
  readonly child: object | null;
  readonly return: Fiber | undefined;
  readonly flags: number;
}

type Owner = Node & Record<string, Fiber | undefined>;

/** Properties of elements that Vue 2, Vue 3 and Preact have rendered or hydrated. */
const RENDERED = /^__(vue|k$)/;

/** Nodes that scripts added or changed, which no framework hydrates any more. */
const changed = new WeakSet<Node>();

let isReactPage = false;
let polls = 0;

/**
 * Notes nodes that scripts insert once the page is parsed. Moved nodes may come from the server, such as late content of
 * React's boundaries.
 */
const insertions = new MutationObserver((records) => {
  if (document.readyState === "loading") return;
  const moved = new Set(records.flatMap(({ removedNodes }) => [...removedNodes]));
  for (const { addedNodes } of records) {
    for (const node of addedNodes) if (!moved.has(node)) changed.add(node);
  }
});
insertions.observe(document, { childList: true, subtree: true });
// The parser's last insertions are reported after it has changed the state.
document.addEventListener("readystatechange", () => insertions.takeRecords());

/** Counts the polls of a loaded page, and notes roots that scripts rendered. */
export function countPoll(): void {
  if (document.readyState !== "complete" || polls++ || isReactPage) return;
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  for (const root of document.querySelectorAll(ROOTS)) {
    // Scripts rendered a root that is larger than the page that the server sent. The size is 0 if it is unknown.
    if (page?.decodedBodySize && root.outerHTML.length > page.decodedBodySize) changed.add(root);
  }
}

/** Finds React's marks, until the page has loaded. */
export function readMarks(): void {
  const comments = document.createNodeIterator(document, SHOW_COMMENT);
  while (!polls && !isReactPage && comments.nextNode()) {
    isReactPage = REACT_COMMENT.test(comments.referenceNode.nodeValue as string);
  }
}

/** Notes a node whose text or attribute a script has changed. */
export function noteChange(node: Node): void {
  if (polls) changed.add(node);
}

/**
 * Returns whether a framework may still hydrate a node, that is, compare it with what it would have rendered. After a
 * change before that, it would render the page again.
 *
 * @param roots selector of the hydrated elements; by default, the page's marks decide.
 */
export function awaitsHydration(node: Node, roots?: string | null): boolean {
  for (let owner = node as Owner | null; owner && polls < MAX_POLLS; owner = owner.parentNode as Owner | null) {
    const keys = Object.keys(owner);
    if (changed.has(owner) || keys.some((key) => RENDERED.test(key))) return false;
    let fiber = owner[keys.find((key) => /^__reactF/.test(key)) as string];
    if (fiber) {
      // A node without its own record beside others that have one is in a boundary that hydrates later.
      if (owner !== node && fiber.child) return true;
      while (fiber && !(fiber.flags & HYDRATING)) fiber = fiber.return;
      return !!fiber;
    }
    if ((owner as Partial<Element>).matches?.(roots || (isReactPage ? "html" : ROOTS))) return true;
  }
  return false;
}
