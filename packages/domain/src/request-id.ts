import type { FieldCheck, FieldRule } from "./field-check.js";

/** Matches a string in a structured HTTP header (RFC 9651 section 3.3.3), including its double quotes. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** Matches UUIDs of versions 4 and 7, most of whose bits are random (RFC 9562 sections 5.4 and 5.7). */
const RANDOM_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Reads the `request_id`, which makes retries idempotent (AIP-155); undefined if it is unset. Removes double quotes around the id:
 * draft-ietf-httpapi-idempotency-key-header requires them, but most clients omit them.
 */
export function parseRequestId(
  check: FieldCheck,
  { requestId }: { readonly requestId?: string | undefined },
  rule: FieldRule<string> = findRequestIdProblem,
): string | undefined {
  const unquoted = QUOTED.exec(requestId ?? "")?.[1]?.replace(/\\(.)/g, "$1");
  return check.optional("request_id", unquoted ?? requestId, rule);
}

/** The rule for the `request_id` of a record in a batch, which is in the body and never in a header. */
export function findBatchItemRequestIdProblem(requestId: string): string | undefined {
  return PRINTABLE.test(requestId) ? undefined : "must have 1 to 255 printable ASCII characters";
}

function findRequestIdProblem(requestId: string): string | undefined {
  return PRINTABLE.test(requestId)
    ? undefined
    : "must have 1 to 255 printable ASCII characters; JSON requests send request_id as the Idempotency-Key header";
}

/** The rule for the `request_id` of a request whose response contains a secret. It must be unguessable, because it encrypts the stored response. */
export function findSecretRequestIdProblem(requestId: string): string | undefined {
  return RANDOM_UUID.test(requestId)
    ? undefined
    : "must be a random UUID (version 4 or 7); JSON requests send request_id as the Idempotency-Key header";
}
