import type { HttpRequest } from "../http/http-request.js";
import { RequestError } from "../http/request-error.js";

/** The parts of a request target, as the client sent them. */
export interface RequestTarget {
  /** The path before the question mark, neither decoded nor normalized. */
  readonly path: string;
  /** The query after the question mark, not decoded; undefined if there is no question mark. */
  readonly query: string | undefined;
}

// Matches the scheme and authority of a target in absolute form, which servers must accept as well (RFC 9112 section 3.2.2).
const SCHEME_AND_AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
const NOT_VISIBLE_ASCII = /[^\x21-\x7e]/;

/** Parses a target in origin or absolute form (RFC 9112 section 3.2). Throws a `RequestError` for a fragment or an invalid character. */
export function parseRequestTarget(target: string): RequestTarget {
  const local = toOriginForm(target);
  if (local.includes("#") || NOT_VISIBLE_ASCII.test(local)) {
    throw new RequestError(
      "PATH_MALFORMED",
      "the URL must have no fragment and contain only visible ASCII characters: percent-encode # and all characters that are not visible ASCII",
    );
  }
  const path = getTargetPath(local);
  return { path: originPath(path), query: local.length > path.length ? local.slice(path.length + 1) : undefined };
}

/** Returns the path of a request target in origin or absolute form: the text before the question mark, not decoded. */
export function getTargetPath(target: string): string {
  const local = toOriginForm(target);
  const mark = local.indexOf("?");
  return mark === -1 ? local : local.slice(0, mark);
}

/** Returns the URL of a request, which may have its target in absolute form. */
export function getRequestUrl({ origin, target }: Pick<HttpRequest, "origin" | "target">): string {
  return target.startsWith("/") ? origin + target : target;
}

function toOriginForm(target: string): string {
  return target.startsWith("/") ? target : target.replace(SCHEME_AND_AUTHORITY, "");
}

// In http and https, an empty path means "/" (RFC 9110 section 4.2.3).
function originPath(path: string): string {
  if (path === "") return "/";
  if (!path.startsWith("/")) throw new RequestError("PATH_MALFORMED", "the path must start with a slash");
  return path;
}
