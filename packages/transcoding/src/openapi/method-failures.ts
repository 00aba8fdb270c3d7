import { ConnectError } from "@connectrpc/connect";
import { describeUnknownName } from "../decode/unknown-name.js";
import { createNotJsonError } from "../endpoints/read-message.js";
import { createNotAcceptableError } from "../endpoints/stream-format.js";
import { createServerTimeoutError } from "../endpoints/timeout.js";
import { createEtagMismatchError } from "../endpoints/unary-response.js";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { createBodyTooLargeError } from "../http/body-errors.js";
import { createUnexpectedBodyError } from "../http/read-body.js";
import { type FieldViolation, RequestError } from "../http/request-error.js";
import { violationsToMessage } from "../responses/failure.js";
import { createBoundFields } from "../rules/bound-fields.js";
import { findBodyMessageType, type HttpRule, streamsRequests, streamsResponses } from "../rules/http-rule.js";
import { isRawBodyType } from "../values/raw-body.js";
import { supportsConditionalGet } from "./conditional-get.js";
import { isRequiredField } from "./field-behavior.js";
import type { DocumentedFailure } from "./openapi-options.js";

/** One way in which an RPC can fail. */
export interface MethodFailure {
  readonly reason: string;
  /** When the failure occurs, as a clause that starts in lower case and has no final period. */
  readonly description: string;
  /** An error that represents the failure in the example of the document. */
  readonly error: RequestError | ConnectError;
}

/** Lists the failures with which the library itself rejects requests for a rule. `maxBytes` is the maximum size of a body. */
export function listRequestRejections(rule: HttpRule, maxBytes: number): readonly MethodFailure[] {
  const hasWildcard = rule.template.segments.some(({ kind }) => kind !== "literal");
  const isRaw = isRawBodyType(rule.responseBody?.message ?? rule.rpc.output);
  return [
    createFieldRefusal(rule),
    ...listBodyRefusals(rule, maxBytes),
    ...(hasWildcard ? [PATH_MALFORMED] : []),
    HEADER_MALFORMED,
    ...(supportsConditionalGet(rule) ? [ETAG_MISMATCH] : []),
    ...(streamsResponses(rule.rpc) && !isRaw ? [NOT_ACCEPTABLE] : []),
  ];
}

/** Converts a documented failure to a MethodFailure, whose error has a `google.rpc.ErrorInfo` with this domain. */
export function createMethodFailure(failure: DocumentedFailure, domain: string): MethodFailure {
  const { code, reason, description } = failure;
  const info = { desc: ErrorInfoSchema, value: { reason, domain } };
  return { reason, description, error: new ConnectError(description, code, undefined, [info]) };
}

function createFieldRefusal({ pathFields, rpc }: HttpRule): MethodFailure {
  const bound = createBoundFields(pathFields);
  const field = rpc.input.fields.find((each) => isRequiredField(each) && !bound.has(each));
  const violation: FieldViolation =
    field === undefined
      ? { field: "color", description: describeUnknownName("query parameter", "color", []) }
      : { field: field.name, description: "is required" };
  return refusal(
    "the request has invalid fields, and the details list every violation",
    new RequestError("FIELD_INVALID", violationsToMessage([violation]), { violations: [violation] }),
  );
}

function listBodyRefusals(rule: HttpRule, maxBytes: number): readonly MethodFailure[] {
  if (rule.body.kind === "none") return [BODY_UNEXPECTED];
  if (streamsRequests(rule.rpc)) return [CODING_UNSUPPORTED];
  const tooLarge = refusal(`the body has more than ${maxBytes} bytes`, createBodyTooLargeError(maxBytes));
  return isRawBodyType(findBodyMessageType(rule))
    ? [tooLarge, CODING_UNSUPPORTED]
    : [BODY_MALFORMED, tooLarge, TYPE_UNSUPPORTED, CODING_UNSUPPORTED];
}

function refusal(description: string, error: RequestError): MethodFailure {
  return { reason: error.reason, description, error };
}

const BODY_MALFORMED = refusal(
  "the body is not JSON in UTF-8",
  new RequestError("BODY_MALFORMED", "the body must be a JSON object"),
);

const BODY_UNEXPECTED = refusal("the request has a body, but the method accepts none", createUnexpectedBodyError());

const TYPE_UNSUPPORTED = refusal("the `Content-Type` is not JSON", createNotJsonError());

const CODING_UNSUPPORTED = refusal(
  "the `Content-Encoding` is not supported",
  new RequestError(
    "CONTENT_ENCODING_UNSUPPORTED",
    "the encoding of the request body is not supported: use one of zstd, br, gzip, identity",
  ),
);

const PATH_MALFORMED = refusal(
  "the path is not valid percent-encoded UTF-8",
  new RequestError("PATH_MALFORMED", "the percent-encoded bytes in the path must be UTF-8"),
);

const HEADER_MALFORMED = refusal("`X-Server-Timeout` is not a number of seconds", createServerTimeoutError());

const ETAG_MISMATCH = refusal("`If-Match` does not contain the current ETag", createEtagMismatchError());

const NOT_ACCEPTABLE = refusal("`Accept` allows none of the media types of the stream", createNotAcceptableError());
