import { parseMediaType } from "../http/media-type.js";
import { RequestError } from "../http/request-error.js";

// RFC 6839 section 3.1 defines the suffix.
const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json$/;

/**
 * Throws a `RequestError` unless the content type is JSON: absent, `application/json` or an `application/…+json`, in UTF-8
 * (RFC 8259 section 8.1).
 */
export function requireJson(contentType: string | undefined): void {
  if (contentType === undefined || contentType === "application/json") return;
  if (JSON_TYPE.test(parseMediaType(contentType) ?? "")) return;
  throw new RequestError(
    "CONTENT_TYPE_UNSUPPORTED",
    "the Content-Type is not supported: send JSON in UTF-8 with Content-Type: application/json",
    { headers: { accept: "application/json" } },
  );
}
