import type { PathTemplate } from "./path-template.js";

/** A route: an HTTP method and a path template that lead to a value. */
export interface Route<T> {
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
  /** `path` is the raw request target up to `?`, never decoded. */
  route(method: string, path: string): RouteMatch<T>;
}
