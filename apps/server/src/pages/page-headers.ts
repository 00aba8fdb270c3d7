/** The headers of web pages and of all files that they load. */
export const SECURITY_HEADERS = { "cross-origin-opener-policy": "same-origin", "referrer-policy": "no-referrer" };

/** The sources that a page needs in addition to the server itself, in the syntax of Content-Security-Policy. */
export interface PageSources {
  readonly styles?: readonly string[];
  readonly images?: readonly string[];
  /** Addresses that the page may call. */
  readonly connections?: readonly string[];
}

/** Returns the headers of a page that loads and calls only the server and these sources, and has no inline or evaluated code. */
export function createPageHeaders({ styles = [], images = [], connections = [] }: PageSources = {}) {
  return {
    ...SECURITY_HEADERS,
    "cache-control": "no-cache",
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      ["style-src 'self'", ...styles].join(" "),
      ["img-src 'self'", ...images].join(" "),
      ["connect-src 'self'", ...connections].join(" "),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
  };
}
