import type { HttpRequest } from "../http/http-request.js";
import { RequestError } from "../http/request-error.js";
import { type EntityTag, parseEntityTags } from "./entity-tags.js";

/**
 * Whether the client of a GET or HEAD already has the current representation, because If-None-Match lists its entity tag (RFC
 * 9110 sections 13.1.2 and 13.2.2).
 *
 * @throws RequestError `ETAG_MISMATCH` if there is an If-Match that does not list it (section 13.1.1).
 */
export function isNotModified(request: Pick<HttpRequest, "header">, etag: string): boolean {
  const ifMatch = request.header("if-match");
  const ifNoneMatch = request.header("if-none-match");
  if (ifMatch !== undefined && !lists(ifMatch, etag, true)) {
    throw new RequestError(
      "ETAG_MISMATCH",
      "the resource's ETag is not in If-Match: read it again without that header",
    );
  }
  return ifNoneMatch !== undefined && lists(ifNoneMatch, etag, false);
}

/** Whether a list has an entity tag, by strong or weak comparison (RFC 9110 section 8.8.3.2). */
function lists(text: string, etag: string, isStrong: boolean): boolean {
  const listed = parseEntityTags(text);
  if (listed === "*") return true;
  const [current] = parseEntityTags(etag) as readonly EntityTag[];
  if (current === undefined || (isStrong && current.isWeak)) return false;
  return listed.some(({ isWeak, opaqueTag }) => opaqueTag === current.opaqueTag && !(isStrong && isWeak));
}
