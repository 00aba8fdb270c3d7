/** Headers of all files of a page that people open. */
export const SECURITY_HEADERS = { "cross-origin-opener-policy": "same-origin", "referrer-policy": "no-referrer" };

/**
 * Returns the headers of a page that loads and calls only the server itself, and has no inline or evaluated code.
 *
 * @param images further sources of images, in the syntax of the policy.
 * @param connections further addresses that the page may call, in the same syntax.
 */
export function createPageHeaders(images: readonly string[] = [], connections: readonly string[] = []) {
  return {
    ...SECURITY_HEADERS,
    "cache-control": "no-cache",
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      ["img-src 'self'", ...images].join(" "),
      ["connect-src 'self'", ...connections].join(" "),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
  };
}
