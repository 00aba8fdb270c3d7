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

type Owner = Node & { readonly __vue_app__?: object } & Record<string, Fiber | undefined>;

/** Nodes that scripts added or changed, which no framework hydrates any more. */
const changed = new WeakSet<Node>();

let isReactPage = false;
let polls = 0;

/** Counts the polls of a loaded page. */
export function countPoll(): void {
  if (document.readyState === "complete") polls++;
}

/** Finds React's marks, until the page has loaded. */
export function readMarks(): void {
  const comments = document.createNodeIterator(document, SHOW_COMMENT);
  while (!polls && !isReactPage && comments.nextNode()) {
    isReactPage = REACT_COMMENT.test(comments.referenceNode.nodeValue as string);
  }
}

/** Notes a node that was added or changed. Until the page has loaded, the parser may have done so. */
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
    if (changed.has(owner) || owner.__vue_app__) return false;
    let fiber = owner[Object.keys(owner).find((key) => /^__reactF/.test(key)) as string];
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
