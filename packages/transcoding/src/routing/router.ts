import {
  decodeSegment,
  decodeSegments,
  findPathProblem,
  normalizePathEscapes,
  type PathDecodingOptions,
} from "./path-escape.js";
import { formatPathShape, type PathTemplate } from "./path-template.js";
import { RouteTrie, type ValuesByHttpMethod } from "./route-trie.js";

export interface Route<T> {
  /** The HTTP method in upper case; `*` matches all methods except `OPTIONS` (google/api/http.proto, `HttpRule.custom`). */
  readonly method: string;
  readonly template: PathTemplate;
  readonly value: T;
}

export type RouteMatch<T> =
  | {
      readonly kind: "found";
      readonly route: Route<T>;
      /** The decoded values of the template's variables, in the order of the variables. */
      readonly values: readonly string[];
    }
  | { readonly kind: "not_found" }
  | { readonly kind: "method_not_allowed"; readonly allow: readonly string[] }
  | { readonly kind: "malformed"; readonly message: string };

export interface RouterOptions extends PathDecodingOptions {
  /** Whether `/a/` and `/a` are different paths (`strict`), or one trailing slash is ignored (`ignore`). Default: `strict`. */
  readonly trailingSlash?: "strict" | "ignore";
}

/** Thrown for two routes with the same method and the same path shape, because the router could never choose the second route. */
export class RouteConflictError<T> extends Error {
  override readonly name = "RouteConflictError";

  constructor(
    readonly first: Route<T>,
    readonly second: Route<T>,
  ) {
    super(
      `there are two routes for ${first.method} ${formatPathShape(first.template)}: remove one of them, or change its path`,
    );
  }
}

/**
 * Creates a router. The time that a lookup takes grows with the length of the path, but not with the number of routes.
 *
 * @throws RouteConflictError
 */
export function createRouter<T>(routes: Iterable<Route<T>>, options: RouterOptions = {}): Router<T> {
  return new Router(routes, options);
}

/** The methods to list in `Allow` for a route whose method is `*`. */
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
   * Finds the most specific route for a method and a path. `path` is the request target before the question mark, not decoded. The result is
   * `not_found` for a path that does not begin with a slash.
   *
   * - The result is `malformed` if the path cannot be decoded, whether or not a template matches it.
   * - Of several matching templates, one with a verb takes precedence. Otherwise, the first segment that differs decides: a literal before `*` before
   *   `**`, and after a `**` the template with more segments. The order of registration does not matter.
   * - If the most specific template has no route for the method, a less specific template with a route for the method is used. The result is
   *   `method_not_allowed` if no matching template has a route for the method.
   * - A `GET` route also serves `HEAD`, unless the template has a `HEAD` route. `OPTIONS` is served only by routes for `OPTIONS`. The server responds
   *   to other `OPTIONS` requests with the methods from `allow`.
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

  /** Lists the methods of a path for the header `Allow`, sorted. Includes `HEAD` if `GET` is allowed, and `OPTIONS`. Empty if no template matches. */
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

  /** Returns the first route that `accept` returns, and the path's segments without decoding. Tries the most specific template first. */
  #find(path: string, accept: (methods: ValuesByHttpMethod<Route<T>>) => Route<T> | undefined) {
    if (!path.startsWith("/")) return undefined;
    const segments = splitPath(this.#options.trailingSlash === "ignore" ? dropSlash(path) : path);
    const spelling = path.includes("%") ? normalizePathEscapes : undefined;
    for (const candidate of splitVerb(segments)) {
      const keys = spelling === undefined ? candidate.segments : candidate.segments.map(spelling);
      const route = this.#trie.find(keys, spelling?.(candidate.verb) ?? candidate.verb, accept);
      if (route !== undefined) return { route, segments: candidate.segments };
    }
    return undefined;
  }
}

function pickRoute<T>(methods: ValuesByHttpMethod<T>, method: string): T | undefined {
  const exact = methods.get(method) ?? (method === "HEAD" ? methods.get("GET") : undefined);
  return exact ?? (method === "OPTIONS" ? undefined : methods.get("*"));
}

function dropSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function splitPath(path: string): string[] {
  return path === "/" ? [] : path.slice(1).split("/");
}

/**
 * Returns the ways to read a path, in the order to try them: the last colon starts a verb, or belongs to the segment. An empty verb means that the
 * path has no verb.
 */
function splitVerb(segments: readonly string[]) {
  const whole = { segments, verb: "" };
  const last = segments.at(-1);
  const colon = last?.lastIndexOf(":") ?? -1;
  if (last === undefined || colon < 0 || colon === last.length - 1) return [whole];
  const stem = last.slice(0, colon);
  // The path "/:verb" is "/" with a verb. It has no segments, instead of one empty segment.
  const rest = segments.length === 1 && stem === "" ? [] : [...segments.slice(0, -1), stem];
  return [{ segments: rest, verb: last.slice(colon + 1) }, whole];
}

/**
 * Returns the values of a template's variables, in the order of the variables. `path` has the segments of a matching path, not decoded. The value of
 * a variable that spans several segments contains the slashes between them. A `**` that matches no segment adds no slash.
 */
function readPathValues(
  { segments, variables }: PathTemplate,
  path: readonly string[],
  decoding: PathDecodingOptions,
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
