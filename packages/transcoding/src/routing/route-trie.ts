import type { PathTemplate, TemplateSegment } from "./path-template.js";

/** The values that were added for one path template, keyed by HTTP method. */
export type ValuesByHttpMethod<V> = ReadonlyMap<string, V>;

/** A trie of path templates, keyed by segment. A lookup backtracks completely, so it finds all matching templates, the most specific one first. */
export class RouteTrie<V> {
  readonly #root = createNode<V>();

  /** Adds a value for a template and a method. If there is already a value for this method and path shape, returns that value instead. */
  add(template: PathTemplate, method: string, value: V): V | undefined {
    let node = this.#root;
    for (const [index, segment] of template.segments.entries()) {
      node = growChild(node, segment, template.segments.length - index - 1);
    }
    const verb = template.verb ?? "";
    node.leaves ??= new Map();
    const methods = node.leaves.get(verb) ?? new Map<string, V>();
    const present = methods.get(method);
    if (present === undefined) node.leaves.set(verb, methods.set(method, value));
    return present;
  }

  /**
   * Calls `accept` with the values of each matching template, the most specific template first, and returns the first result that is not undefined.
   * Returns undefined if `accept` returns undefined for all templates. The escapes in `segments` and `verb` must be normalized. An empty verb means
   * that the path has no verb.
   */
  find(segments: readonly string[], verb: string, accept: Accept<V>): V | undefined {
    return search(this.#root, { segments, verb, accept }, 0);
  }
}

type Accept<V> = (methods: ValuesByHttpMethod<V>) => V | undefined;

interface Search<V> {
  readonly segments: readonly string[];
  readonly verb: string;
  readonly accept: Accept<V>;
}

/** A node of the trie. Its maps are created on demand: most nodes need at most one map, and a small trie fits into the CPU caches. */
interface Node<V> {
  literals: Map<string, Node<V>> | undefined;
  single: Node<V> | undefined;
  /** The parts of templates after a `**`, the longest first. A tail has a fixed number of segments, so it is matched at the end of the path. */
  tails: readonly Tail<V>[];
  leaves: Map<string, Map<string, V>> | undefined;
}

interface Tail<V> {
  readonly length: number;
  readonly node: Node<V>;
}

const NO_TAILS: readonly never[] = [];

function createNode<V>(): Node<V> {
  return { literals: undefined, single: undefined, tails: NO_TAILS, leaves: undefined };
}

function growChild<V>(node: Node<V>, segment: TemplateSegment, tailLength: number): Node<V> {
  if (segment.kind === "literal") return growLiteral(node, segment.value);
  if (segment.kind === "multi") return growTail(node, tailLength);
  node.single ??= createNode();
  return node.single;
}

function growLiteral<V>(node: Node<V>, value: string): Node<V> {
  node.literals ??= new Map();
  const child = node.literals.get(value) ?? createNode();
  node.literals.set(value, child);
  return child;
}

function growTail<V>(node: Node<V>, length: number): Node<V> {
  const present = node.tails.find((tail) => tail.length === length);
  if (present !== undefined) return present.node;
  const tail = { length, node: createNode<V>() };
  node.tails = [...node.tails, tail].sort((a, b) => b.length - a.length);
  return tail.node;
}

function search<V>(node: Node<V>, wanted: Search<V>, index: number): V | undefined {
  const { segments } = wanted;
  const found = index < segments.length ? searchChildren(node, wanted, index) : searchLeaf(node, wanted);
  if (found !== undefined) return found;
  for (const tail of node.tails) {
    const start = segments.length - tail.length;
    const found = start < index ? undefined : search(tail.node, wanted, start);
    if (found !== undefined) return found;
  }
  return undefined;
}

function searchChildren<V>(node: Node<V>, wanted: Search<V>, index: number): V | undefined {
  const segment = wanted.segments[index] ?? "";
  const literal = node.literals?.get(segment);
  const found = literal === undefined ? undefined : search(literal, wanted, index + 1);
  if (found !== undefined || node.single === undefined || segment === "") return found;
  return search(node.single, wanted, index + 1);
}

function searchLeaf<V>(node: Node<V>, { verb, accept }: Search<V>): V | undefined {
  const methods = node.leaves?.get(verb);
  return methods === undefined ? undefined : accept(methods);
}
