import { findPathProblem, normalizeEscapes, type PathDecoding } from "./path-escape.js";
import { type PathTemplate, printPathShape } from "./path-template.js";
import { readPathValues } from "./path-values.js";
import { type MethodTable, RouteTrie } from "./route-trie.js";

/** A route: an HTTP method and a path template that lead to a value. */
export interface Route<T> {
  /** In upper case; `*` stands for any but `OPTIONS` (google/api/http.proto, `HttpRule.custom`). */
  readonly method: string;
  readonly template: PathTemplate;
  readonly value: T;
}

/** What a request target leads to. */
export type RouteMatch<T> =
  | {
      readonly kind: "found";
      readonly route: Route<T>;
      /** The decoded values of the template's variables, in their order. */
      readonly values: readonly string[];
    }
  | { readonly kind: "not_found" }
  | { readonly kind: "method_not_allowed"; readonly allow: readonly string[] }
  | { readonly kind: "malformed"; readonly message: string };

/** Finds the route of a request. */
export interface Router<T> {
  /**
   * Finds the most specific route that takes both path and method. `path` is the raw request target up to `?`, never
   * decoded; what does not begin with a slash is not found.
   *
   * - `malformed` when the path cannot be decoded, whether or not a template would match it.
   * - Of several templates that match, one with a verb wins; then, at the first segment where they differ, a literal over
   *   `*` over `**`, and after a `**` the longer tail. The order of registration plays no part.
   * - A template that has no route for the method gives way to a less specific one that has. `method_not_allowed` is for
   *   paths where no template has it.
   * - A `HEAD` is taken by the `GET` route of a template that has none for `HEAD`. An `OPTIONS` is only taken by a route
   *   for `OPTIONS` itself: any other is the caller's to answer, with `allow`.
   */
  route(method: string, path: string): RouteMatch<T>;

  /**
   * The methods that can be used on `path`, sorted, as the header `Allow` has them: `HEAD` where there is `GET`, and
   * `OPTIONS` always. Empty when no template matches or the path is malformed.
   */
  allow(path: string): readonly string[];
}

/** How a router reads paths. */
export interface RouterOptions extends PathDecoding {
  /** Whether `/a/` is another path than `/a`. Default: `strict`, it is; `ignore` drops one slash at the end. */
  readonly trailingSlash?: "strict" | "ignore";
}

/** Two routes with the same method and shape, so that the second could never be reached. */
export class RouteConflictError<T> extends Error {
  override readonly name = "RouteConflictError";
  readonly first: Route<T>;
  readonly second: Route<T>;

  constructor(first: Route<T>, second: Route<T>) {
    super(`two routes for ${first.method} ${printPathShape(first.template)}: drop one or change its path`);
    this.first = first;
    this.second = second;
  }
}

/**
 * Creates the router of a set of routes. The time of a look-up grows with the path, not with the number of routes.
 *
 * @throws RouteConflictError
 */
export function createRouter<T>(routes: Iterable<Route<T>>, options: RouterOptions = {}): Router<T> {
  const trie = new RouteTrie<Route<T>>();
  for (const route of routes) {
    const first = trie.add(route.template, route.method, route);
    if (first !== undefined) throw new RouteConflictError(first, route);
  }
  return new TrieRouter(trie, options);
}

/** What `HttpRule.custom` with the kind `*` stands for in `Allow`. */
const ANY_METHOD = ["DELETE", "GET", "PATCH", "POST", "PUT"];

class TrieRouter<T> implements Router<T> {
  readonly #trie: RouteTrie<Route<T>>;
  readonly #options: RouterOptions;

  constructor(trie: RouteTrie<Route<T>>, options: RouterOptions) {
    this.#trie = trie;
    this.#options = options;
  }

  route(method: string, path: string): RouteMatch<T> {
    const message = findPathProblem(path);
    if (message !== undefined) return { kind: "malformed", message };
    const found = this.#find(path, (methods) => pickRoute(methods, method));
    if (found !== undefined) {
      const { route, segments } = found;
      return { kind: "found", route, values: readPathValues(route.template, segments, this.#options) };
    }
    const allow = this.#allow(path);
    return allow.length === 0 ? { kind: "not_found" } : { kind: "method_not_allowed", allow };
  }

  allow(path: string): readonly string[] {
    return findPathProblem(path) === undefined ? this.#allow(path) : [];
  }

  #allow(path: string): readonly string[] {
    const allowed = new Set<string>();
    this.#find(path, (methods) => {
      for (const method of methods.keys()) {
        for (const name of method === "*" ? ANY_METHOD : [method]) allowed.add(name);
      }
      return undefined;
    });
    if (allowed.has("GET")) allowed.add("HEAD");
    if (allowed.size > 0) allowed.add("OPTIONS");
    return [...allowed].sort();
  }

  /** The first route that `accept` gives, the most specific template first, with the raw segments that it matched. */
  #find(path: string, accept: (methods: MethodTable<Route<T>>) => Route<T> | undefined) {
    if (!path.startsWith("/")) return undefined;
    const segments = splitPath(this.#options.trailingSlash === "ignore" ? dropSlash(path) : path);
    const spelling = path.includes("%") ? normalizeEscapes : undefined;
    for (const candidate of splitVerb(segments)) {
      const keys = spelling === undefined ? candidate.segments : candidate.segments.map(spelling);
      const route = this.#trie.find(keys, spelling?.(candidate.verb) ?? candidate.verb, accept);
      if (route !== undefined) return { route, segments: candidate.segments };
    }
    return undefined;
  }
}

function pickRoute<T>(methods: MethodTable<T>, method: string): T | undefined {
  const exact = methods.get(method) ?? (method === "HEAD" ? methods.get("GET") : undefined);
  return exact ?? (method === "OPTIONS" ? undefined : methods.get("*"));
}

function dropSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function splitPath(path: string): string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}

interface VerbSplit {
  readonly segments: readonly string[];
  /** Empty for none. */
  readonly verb: string;
}

/** The ways to read a path: what follows its last colon as a verb, where there is one, then as part of a value. */
function splitVerb(segments: readonly string[]): readonly VerbSplit[] {
  const whole = { segments, verb: "" };
  const last = segments.at(-1);
  const colon = last?.lastIndexOf(":") ?? -1;
  if (last === undefined || colon < 0 || colon === last.length - 1) return [whole];
  const stem = last.slice(0, colon);
  // "/:verb" is the path "/" with a verb: no segment, rather than an empty one.
  const rest = segments.length === 1 && stem === "" ? [] : [...segments.slice(0, -1), stem];
  return [{ segments: rest, verb: last.slice(colon + 1) }, whole];
}
