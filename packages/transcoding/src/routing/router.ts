import { decodeSegment, decodeSegments, findPathProblem, normalizeEscapes, type PathDecoding } from "./path-escape.js";
import { formatPathShape, type PathTemplate } from "./path-template.js";
import { type MethodTable, RouteTrie } from "./route-trie.js";

export interface Route<T> {
  /** The method in upper case; `*` matches any except `OPTIONS` (google/api/http.proto, `HttpRule.custom`). */
  readonly method: string;
  readonly template: PathTemplate;
  readonly value: T;
}

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

export interface RouterOptions extends PathDecoding {
  /** Whether `/a/` and `/a` are different paths. `strict`: they are. `ignore`: one trailing slash is ignored. Default: strict. */
  readonly trailingSlash?: "strict" | "ignore";
}

/** Thrown for two routes with the same method and shape: the second could never be reached. */
export class RouteConflictError<T> extends Error {
  override readonly name = "RouteConflictError";

  constructor(
    readonly first: Route<T>,
    readonly second: Route<T>,
  ) {
    super(`two routes for ${first.method} ${formatPathShape(first.template)}: remove one or change its path`);
  }
}

/**
 * Creates a router. The time of a lookup grows with the length of the path, not with the number of routes.
 *
 * @throws RouteConflictError
 */
export function createRouter<T>(routes: Iterable<Route<T>>, options: RouterOptions = {}): Router<T> {
  return new Router(routes, options);
}

/** The methods in `Allow` for a `HttpRule.custom` of kind `*`. */
const ANY_METHOD = ["DELETE", "GET", "PATCH", "POST", "PUT"];

/** Finds the route of a request. Created by `createRouter`. */
export class Router<T> {
  readonly #trie = new RouteTrie<Route<T>>();
  readonly #options: RouterOptions;

  constructor(routes: Iterable<Route<T>>, options: RouterOptions) {
    this.#options = options;
    for (const route of routes) {
      const first = this.#trie.add(route.template, route.method, route);
      if (first !== undefined) throw new RouteConflictError(first, route);
    }
  }

  /**
   * Finds the most specific route for a path and method. `path` is the raw request target up to `?`, not decoded. A path that
   * does not begin with a slash is not found.
   *
   * - `malformed`: the path cannot be decoded, whether or not a template would match it.
   * - Precedence of matching templates: a template with a verb first. Then, at the first segment where they differ, a literal
   *   before `*` before `**`, and the longer tail after a `**`. The order of registration does not matter.
   * - A template without a route for the method yields to a less specific one that has it. `method_not_allowed` means that no
   *   matching template has it.
   * - A `GET` route also serves `HEAD`, unless its template has a `HEAD` route. `OPTIONS` needs a route of its own; callers
   *   answer other `OPTIONS` requests with `allow`.
   */
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

  /**
   * Lists the methods for `Allow`, sorted: with `HEAD` if there is `GET`, and with `OPTIONS`. Empty if no template matches or the path is malformed.
   */
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

  /** Finds the first route that `accept` returns, and its raw segments. Tries the most specific template first. */
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

/** Returns the ways to read a path, in order: a colon in the last segment starts a verb, or belongs to the segment. An empty verb means none. */
function splitVerb(segments: readonly string[]) {
  const whole = { segments, verb: "" };
  const last = segments.at(-1);
  const colon = last?.lastIndexOf(":") ?? -1;
  if (last === undefined || colon < 0 || colon === last.length - 1) return [whole];
  const stem = last.slice(0, colon);
  // "/:verb" is the path "/" with a verb: it has no segments, not one empty segment.
  const rest = segments.length === 1 && stem === "" ? [] : [...segments.slice(0, -1), stem];
  return [{ segments: rest, verb: last.slice(colon + 1) }, whole];
}

/**
 * Reads the values of a template's variables, in their order, from the raw segments of a matching path. The value of a variable
 * that spans several segments contains the slashes between them. A `**` that matches no segment adds no slash.
 */
function readPathValues(
  { segments, variables }: PathTemplate,
  path: readonly string[],
  decoding: PathDecoding,
): string[] {
  if (variables.length === 0) return [];
  const multi = segments.findIndex((segment) => segment.kind === "multi");
  const shift = path.length - segments.length;
  return variables.map((variable) => {
    const start = variable.start > multi ? variable.start + shift : variable.start;
    if (!variable.multi) return decodeSegment(path[start] ?? "");
    const end = variable.end > multi ? variable.end + shift : variable.end;
    return decodeSegments(path.slice(start, end).join("/"), decoding);
  });
}
