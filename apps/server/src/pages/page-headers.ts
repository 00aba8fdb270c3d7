/** Security headers for web pages, and for all files that the pages load. */
export const SECURITY_HEADERS = { "cross-origin-opener-policy": "same-origin", "referrer-policy": "no-referrer" };

/** Sources in a Content-Security-Policy header from which a page may load content, in addition to its own server. */
export interface PageContentSources {
  readonly styles?: readonly string[];
  readonly images?: readonly string[];
  /** The origins to which scripts on the page may send requests. */
  readonly connections?: readonly string[];
}

/** Creates the headers of a page. The page may load and call only its server and the given sources, and may not use inline or evaluated code. */
export function createPageHeaders({ styles = [], images = [], connections = [] }: PageContentSources = {}) {
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
