import { RequestError } from "../http/request-error.js";

/** The parts of a request target, as the client sent them. */
export interface RequestTarget {
  /** The raw path, up to the question mark; not decoded or normalized. */
  readonly path: string;
  /** The raw query, after the question mark; undefined if there is none. */
  readonly query: string | undefined;
}

// RFC 9112 section 3.2.2: servers must also accept the absolute form.
const SCHEME_AND_AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
const NOT_VISIBLE_ASCII = /[^\x21-\x7e]/;

/** Parses origin form or absolute form (RFC 9112 section 3.2). Throws a `RequestError` for a fragment, and for characters that must be encoded. */
export function parseRequestTarget(target: string): RequestTarget {
  const local = target.startsWith("/") ? target : target.replace(SCHEME_AND_AUTHORITY, "");
  if (local.includes("#") || NOT_VISIBLE_ASCII.test(local)) {
    throw new RequestError(
      "PATH_MALFORMED",
      "the request target has a fragment or characters other than visible ASCII: percent-encode them",
    );
  }
  const path = pathOf(local);
  return { path: originPath(path), query: local.length > path.length ? local.slice(path.length + 1) : undefined };
}

/** Returns the path of a request target in origin form, without its query; not decoded. */
export function pathOf(target: string): string {
  const mark = target.indexOf("?");
  return mark === -1 ? target : target.slice(0, mark);
}

// RFC 9110 section 4.2.3: an empty path of http and https is "/".
function originPath(path: string): string {
  if (path === "") return "/";
  if (!path.startsWith("/")) throw new RequestError("PATH_MALFORMED", "the path must start with a slash");
  return path;
}
