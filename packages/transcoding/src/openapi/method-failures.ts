import { ConnectError } from "@connectrpc/connect";
import { describeUnknownName } from "../decode/unknown-name.js";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { createBodyTooLargeError } from "../http/body-errors.js";
import { type FieldViolation, RequestError, type RequestErrorReason } from "../http/request-error.js";
import { violationsToMessage } from "../responses/failure.js";
import { createBoundFields } from "../rules/bound-fields.js";
import { findBodyMessage, type HttpRule, streamsRequests, streamsResponses } from "../rules/http-rule.js";
import { isRawBody } from "../values/raw-body.js";
import { isConditional } from "./conditional-get.js";
import { isRequired } from "./field-behavior.js";
import type { DocumentedFailure } from "./openapi-options.js";

/** One way in which a call fails. */
export interface MethodFailure {
  readonly reason: string;
  /** The condition: completes a sentence that begins with the reason. */
  readonly description: string;
  /** An example of the error. */
  readonly error: RequestError | ConnectError;
}

/** Lists the reasons for which the library rejects calls of a rule. Bodies are limited to `maxBytes`. */
export function listRefusals(rule: HttpRule, maxBytes: number): readonly MethodFailure[] {
  const hasWildcard = rule.template.segments.some(({ kind }) => kind !== "literal");
  const isRaw = isRawBody(rule.responseBody?.message ?? rule.rpc.output);
  return [
    createFieldRefusal(rule),
    ...listBodyRefusals(rule, maxBytes),
    ...(hasWildcard ? [PATH_MALFORMED] : []),
    HEADER_MALFORMED,
    ...(isConditional(rule) ? [ETAG_MISMATCH] : []),
    ...(streamsResponses(rule.rpc) && !isRaw ? [NOT_ACCEPTABLE] : []),
  ];
}

/** Creates a documented failure, with `domain` in its ErrorInfo. */
export function createDocumentedFailure(failure: DocumentedFailure, domain: string): MethodFailure {
  const { code, reason, description } = failure;
  const info = { desc: ErrorInfoSchema, value: { reason, domain } };
  return { reason, description, error: new ConnectError(description, code, undefined, [info]) };
}

function createFieldRefusal({ pathFields, rpc }: HttpRule): MethodFailure {
  const bound = createBoundFields(pathFields);
  const field = rpc.input.fields.find((each) => isRequired(each) && !bound.has(each));
  const violation: FieldViolation =
    field === undefined
      ? { field: "color", description: describeUnknownName("query parameter", "color", []) }
      : { field: field.name, description: "is required" };
  return {
    reason: "FIELD_INVALID",
    description: "the request has invalid fields; every violation is listed",
    error: new RequestError("FIELD_INVALID", violationsToMessage([violation]), { violations: [violation] }),
  };
}

function listBodyRefusals(rule: HttpRule, maxBytes: number): readonly MethodFailure[] {
  if (rule.body.kind === "none") return [BODY_UNEXPECTED];
  if (streamsRequests(rule.rpc)) return [CODING_UNSUPPORTED];
  const tooLarge: MethodFailure = {
    reason: "BODY_TOO_LARGE",
    description: `the body has more than ${maxBytes} bytes`,
    error: createBodyTooLargeError(maxBytes),
  };
  return isRawBody(findBodyMessage(rule))
    ? [tooLarge, CODING_UNSUPPORTED]
    : [BODY_MALFORMED, tooLarge, TYPE_UNSUPPORTED, CODING_UNSUPPORTED];
}

function refusal(reason: RequestErrorReason, description: string, message: string): MethodFailure {
  return { reason, description, error: new RequestError(reason, message) };
}

const BODY_MALFORMED = refusal("BODY_MALFORMED", "the body is not JSON in UTF-8", "the body must be a JSON object");

const BODY_UNEXPECTED = refusal(
  "BODY_MALFORMED",
  "the request has a body, but the method takes none",
  "this method takes no body: send the request without one",
);

const TYPE_UNSUPPORTED = refusal(
  "CONTENT_TYPE_UNSUPPORTED",
  "the `Content-Type` is not JSON",
  "the Content-Type is not supported: send JSON in UTF-8 with Content-Type: application/json",
);

const CODING_UNSUPPORTED = refusal(
  "CONTENT_ENCODING_UNSUPPORTED",
  "the `Content-Encoding` is not supported",
  "the encoding is not supported: use one of zstd, br, gzip, identity",
);

const PATH_MALFORMED = refusal(
  "PATH_MALFORMED",
  "the path is not valid percent-encoded UTF-8",
  "the percent-encoded bytes in the path must be UTF-8",
);

const HEADER_MALFORMED = refusal(
  "HEADER_MALFORMED",
  "`X-Server-Timeout` is not a number of seconds",
  "X-Server-Timeout must be a number of seconds, such as 2.5",
);

const ETAG_MISMATCH = refusal(
  "ETAG_MISMATCH",
  "the ETag is not in `If-Match`",
  "the resource's ETag is not in If-Match: read it again without that header",
);

const NOT_ACCEPTABLE = refusal(
  "NOT_ACCEPTABLE",
  "`Accept` allows none of the media types of the stream",
  "the Accept header must allow one of application/json, application/x-ndjson, text/event-stream",
);
