import { RequestError } from "../http/request-error.js";

// RFC 9110 section 8.3.1, with the structured suffix of RFC 6839 section 3.1.
const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json$/;
const CHARSET = /^charset="?(?:utf-?8|us-ascii)"?$/;

/**
 * Throws a `RequestError` unless the content type is JSON: absent, `application/json` or an `application/…+json`, in UTF-8
 * (RFC 8259 section 8.1).
 */
export function requireJson(contentType: string | undefined): void {
  if (contentType === undefined || contentType === "application/json") return;
  const [type = "", ...parameters] = contentType
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  if (!JSON_TYPE.test(type) || (charset !== undefined && !CHARSET.test(charset))) {
    throw new RequestError(
      "CONTENT_TYPE_UNSUPPORTED",
      "the Content-Type is not supported: send JSON in UTF-8 with Content-Type: application/json",
      { headers: { accept: "application/json" } },
    );
  }
}
