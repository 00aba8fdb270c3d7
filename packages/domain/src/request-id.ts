import type { FieldCheck, FieldRule } from "./field-check.js";

/** RFC 9651 section 3.3.3: what a text is in the header `Idempotency-Key`, if it is no bare word. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** UUIDs that are made of random numbers, all of them or most (RFC 9562 sections 5.4 and 5.7). */
const RANDOM_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Reads the `request_id` under which a request can be sent again (AIP-155), undefined if it has none. In double quotes it is the
 * same as without: draft-ietf-httpapi-idempotency-key-header has them, and most clients have not.
 */
export function parseRequestId(
  check: FieldCheck,
  { requestId }: { readonly requestId?: string | undefined },
  rule: FieldRule<string> = requestIdProblem,
): string | undefined {
  const unquoted = QUOTED.exec(requestId ?? "")?.[1]?.replace(/\\(.)/g, "$1");
  return check.optional("request_id", unquoted ?? requestId, rule);
}

function requestIdProblem(requestId: string): string | undefined {
  return PRINTABLE.test(requestId)
    ? undefined
    : "must have 1 to 255 printable ASCII characters; over JSON it is the Idempotency-Key header";
}

/** The rule where the answer has a secret, which is kept under the id: nobody may guess it. */
export function secretRequestIdProblem(requestId: string): string | undefined {
  return RANDOM_UUID.test(requestId)
    ? undefined
    : "must be a random UUID (version 4 or 7); over JSON it is the Idempotency-Key header";
}
