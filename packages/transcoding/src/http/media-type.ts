import { MIMEType } from "node:util";

/** The accepted values of the parameter `charset`: names of UTF-8, and of its subset US-ASCII. */
const UTF_8: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii"]);

/** Maximum length of a header to parse, because `MIMEType` takes quadratic time: 0.5 s for the longest header that Node accepts. */
const MAX_LENGTH = 256;

/**
 * Parses a `Content-Type` (RFC 9110 section 8.3.1). Returns the type and subtype in lower case, such as `text/html`. Returns undefined if the header
 * is malformed, has more than 256 characters, or names a charset other than UTF-8. Ignores all other parameters.
 */
export function parseMediaType(contentType: string): string | undefined {
  if (contentType === "" || contentType.length > MAX_LENGTH) return undefined;
  try {
    const { essence, params } = new MIMEType(contentType);
    return UTF_8.has(params.get("charset")?.toLowerCase() ?? "utf-8") ? essence : undefined;
  } catch {
    return undefined;
  }
}
