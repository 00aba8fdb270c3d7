import { create } from "@bufbuild/protobuf";
import { DomainError, type DomainErrorFacts, type DomainErrorReason } from "@calltrack/domain";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  RequestInfoSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
} from "@calltrack/domain/gen/google/rpc/error_details_pb";
import {
  isCanceledError,
  isDatabaseUnavailable,
  isOutOfResourcesError,
  OutcomeUnknownError,
  RequestAbandonedError,
} from "@calltrack/postgres";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Logger } from "pino";
import { LogLineLimit } from "../observability/log-line-limit.js";
import { createRequestLogFields } from "../observability/requests/request-log.js";
import type { RequestState } from "../observability/requests/request-state.js";

/** The `domain` in every `google.rpc.ErrorInfo` that the service sends. */
export const ERROR_DOMAIN = "calltracking";

/** How many seconds clients should wait before they retry a request, if the server was overloaded or the database unavailable. */
export const RETRY_AFTER_S = 1;

type Detail = ConnectError["details"][number];

/** How an error with a given reason is sent: its code, its facts as metadata, a standard error detail (AIP-193), and headers. */
interface RpcErrorTemplate<R extends DomainErrorReason> {
  readonly code: Code;
  readonly metadata?: (facts: DomainErrorFacts[R]) => Record<string, string>;
  readonly detail?: (facts: DomainErrorFacts[R], message: string) => Detail;
  readonly headers?: (facts: DomainErrorFacts[R]) => Record<string, string>;
}

export const RPC_ERROR_TEMPLATES_BY_REASON: { readonly [R in DomainErrorReason]: RpcErrorTemplate<R> } = {
  FIELD_INVALID: {
    code: Code.InvalidArgument,
    detail: ({ violations }) => badRequest(violations),
  },
  PAGE_TOKEN_INVALID: {
    code: Code.InvalidArgument,
    detail: () =>
      badRequest([
        {
          field: "page_token",
          description: "is not valid for this list: send the next_page_token of an earlier page unchanged",
        },
      ]),
  },
  ACCOUNT_NOT_FOUND: ofResource(Code.NotFound, "Account", "account"),
  EVENT_CURSOR_EXPIRED: { code: Code.OutOfRange },
  EVENT_CURSOR_UNKNOWN: { code: Code.FailedPrecondition },
  ACCOUNT_ALREADY_EXISTS: {
    ...ofResource(Code.AlreadyExists, "Account", "accountToken"),
    metadata: ({ accountId }) => ({ account_id: String(accountId) }),
  },
  ACCOUNT_TOKEN_RESERVED: ofResource(Code.AlreadyExists, "Account", "accountToken"),
  ACCOUNT_DISABLED: precondition("ACCOUNT_DISABLED", "account"),
  PHONE_NUMBER_NOT_FOUND: ofResource(Code.NotFound, "PhoneNumber", "phoneNumberId"),
  PHONE_NUMBER_ALREADY_REGISTERED: {
    ...ofResource(Code.AlreadyExists, "PhoneNumber", "phoneNumber"),
    metadata: ({ phoneNumberId }) => ({ phone_number_id: phoneNumberId }),
  },
  PHONE_NUMBER_NOT_REGISTERED: precondition("PHONE_NUMBER_NOT_REGISTERED", "phoneNumber"),
  POOL_NOT_FOUND: ofResource(Code.NotFound, "Pool", "poolId"),
  POOL_AUTOMANAGED: precondition("POOL_AUTOMANAGED", "poolId"),
  CALL_TRACKER_NOT_FOUND: ofResource(Code.NotFound, "CallTracker", "callTrackerId"),
  CALL_TRACKER_NOT_ACTIVE: precondition("CALL_TRACKER_NOT_ACTIVE", "callTrackerId"),
  CALL_TRACKER_RETIRING: precondition("CALL_TRACKER_RETIRING", "callTrackerId"),
  TRACKING_NUMBER_NOT_FOUND: ofResource(Code.NotFound, "TrackingNumber", "trackingNumber"),
  PHONE_NUMBER_IS_TRACKING_NUMBER: precondition("PHONE_NUMBER_IS_TRACKING_NUMBER", "phoneNumber"),
  CALL_NOT_FOUND: ofResource(Code.NotFound, "Call", "id"),
  CALL_ALREADY_EXISTS: {
    ...ofResource(Code.AlreadyExists, "Call", "callId"),
    metadata: ({ id }) => ({ id }),
  },
  CALL_ENDED: precondition("CALL_ENDED", "id"),
  PHONE_SYSTEM_NOT_FOUND: ofResource(Code.NotFound, "PhoneSystem", "phoneSystemId"),
  WEBHOOK_ENDPOINT_NOT_FOUND: ofResource(Code.NotFound, "WebhookEndpoint", "webhookEndpointId"),
  WEBHOOK_ENDPOINT_INACTIVE: {
    code: Code.FailedPrecondition,
    detail: ({ webhookEndpointId }, message) =>
      violated("WEBHOOK_ENDPOINT_INACTIVE", `webhook_endpoints/${webhookEndpointId}`, message),
  },
  WEBHOOK_ENDPOINT_LIMIT_REACHED: {
    code: Code.FailedPrecondition,
    detail: (_, message) => violated("WEBHOOK_ENDPOINT_LIMIT_REACHED", "webhook_endpoints", message),
  },
  WEBHOOK_DELIVERY_NOT_FOUND: ofResource(Code.NotFound, "WebhookDelivery", "webhookDeliveryId"),
  SECRETS_KEY_MISSING: {
    code: Code.FailedPrecondition,
    detail: (_, message) => violated("SECRETS_KEY_MISSING", "SECRETS_KEY", message),
  },
  CLOCK_NOT_VIRTUAL: {
    code: Code.FailedPrecondition,
    detail: (_, message) => violated("CLOCK_NOT_VIRTUAL", "clock", message),
  },
  API_KEY_NOT_FOUND: ofResource(Code.NotFound, "ApiKey", "apiKeyId"),
  UNAUTHENTICATED: { code: Code.Unauthenticated, headers: () => challenge() },
  API_KEY_INVALID: { code: Code.Unauthenticated, headers: () => challenge("invalid_token") },
  API_KEY_EXPIRED: { code: Code.Unauthenticated, headers: () => challenge("invalid_token") },
  API_KEY_REVOKED: { code: Code.Unauthenticated, headers: () => challenge("invalid_token") },
  ACCESS_TOKEN_INVALID: { code: Code.Unauthenticated, headers: () => challenge("invalid_token") },
  ACCESS_TOKEN_EXPIRED: { code: Code.Unauthenticated, headers: () => challenge("invalid_token") },
  ISSUER_UNAVAILABLE: { code: Code.Unavailable },
  SCOPE_MISSING: {
    code: Code.PermissionDenied,
    metadata: ({ scope }) => ({ scope }),
    headers: ({ scope }) => challenge("insufficient_scope", scope),
  },
  CALLER_BOUND_TO_ACCOUNT: { code: Code.PermissionDenied, metadata: ({ account }) => ({ account_token: account }) },
  OVERLOADED: limited(Code.Unavailable),
  ETAG_MISMATCH: { code: Code.Aborted },
  IDEMPOTENCY_KEY_REUSED: { code: Code.InvalidArgument },
  RATE_LIMIT_EXCEEDED: limited(Code.ResourceExhausted),
  SERVER_STOPPING: { code: Code.Unavailable, headers: () => retryAfter(RETRY_AFTER_S) },
  DEADLINE_EXCEEDED: { code: Code.DeadlineExceeded },
  UNAVAILABLE: { code: Code.Unavailable, headers: () => retryAfter(RETRY_AFTER_S) },
  OUTCOME_UNKNOWN: { code: Code.Unavailable, headers: () => retryAfter(RETRY_AFTER_S) },
  INTERNAL: { code: Code.Internal },
};

export function createConnectError<R extends DomainErrorReason>(error: DomainError<R>): ConnectError {
  const form: RpcErrorTemplate<R> = RPC_ERROR_TEMPLATES_BY_REASON[error.reason];
  const info = create(ErrorInfoSchema, {
    reason: error.reason,
    domain: ERROR_DOMAIN,
    metadata: form.metadata?.(error.facts) ?? {},
  });
  const detail = form.detail?.(error.facts, error.message);
  const details = [...(detail ? [detail] : []), { desc: ErrorInfoSchema, value: info }];
  return new ConnectError(error.message, form.code, form.headers?.(error.facts), details as never, error);
}

/** Limits the log lines during a database outage, because any client can make requests fail then, and each line has a stack trace. */
const OUTAGE_LINES = new LogLineLimit(10);

/**
 * Converts an error from the implementation of an RPC to the error that clients get, which is the same in every protocol.
 *
 * Reasons for errors other than a DomainError: `UNAVAILABLE` or `OUTCOME_UNKNOWN` if the database was unreachable, `UNAVAILABLE` if it has no disk
 * space or memory left, `DEADLINE_EXCEEDED` if a statement timed out, and otherwise `INTERNAL`. Logs all of these errors except `DEADLINE_EXCEEDED`.
 *
 * @param state receives the code, and provides the fields of log lines.
 */
export function translateRequestError(thrown: unknown, log: Logger, state: RequestState | undefined): ConnectError {
  const error = translate(thrown, log, state);
  if (state !== undefined) state.failure = error.code;
  return error;
}

function translate(error: unknown, log: Logger, state: RequestState | undefined): ConnectError {
  if (error instanceof DomainError) return createConnectError(error);
  if (error instanceof RequestAbandonedError || isCanceledError(error)) {
    return createConnectError(new DomainError("DEADLINE_EXCEEDED", {}, { cause: error }));
  }
  if (isDatabaseUnavailable(error)) {
    const level = OUTAGE_LINES.levelOf(log, "unreachable", "warn");
    log[level](
      { ...createRequestLogFields(state), err: error },
      "a request failed, because the database cannot be reached",
    );
    const reason = error instanceof OutcomeUnknownError ? "OUTCOME_UNKNOWN" : "UNAVAILABLE";
    return createConnectError(new DomainError(reason, {}, { cause: error }));
  }
  if (isOutOfResourcesError(error)) {
    const level = OUTAGE_LINES.levelOf(log, "exhausted", "error");
    log[level](
      { ...createRequestLogFields(state), err: error },
      "a request failed, because the database has no disk space or memory left",
    );
    return createConnectError(new DomainError("UNAVAILABLE", { isFull: true }, { cause: error }));
  }
  log.error({ ...createRequestLogFields(state), err: error }, "a request failed");
  const internal = createConnectError(new DomainError("INTERNAL", {}, { cause: error }));
  // The client can report this id, with which operators find the log line.
  if (state !== undefined) internal.details.unshift({ desc: RequestInfoSchema, value: { requestId: state.id } });
  return internal;
}

/** Creates the WWW-Authenticate header for a response to missing, invalid or insufficient credentials (RFC 6750 section 3). */
function challenge(error?: string, scope?: string): Record<string, string> {
  const parameters = Object.entries({ error, scope }).flatMap(([name, value]) => (value ? [`${name}="${value}"`] : []));
  return { "www-authenticate": `Bearer ${parameters.join(", ")}`.trimEnd() };
}

function badRequest(fieldViolations: DomainErrorFacts["FIELD_INVALID"]["violations"]): Detail {
  return { desc: BadRequestSchema, value: { fieldViolations: [...fieldViolations] } };
}

/** Returns the wire form of an error about a resource. `fact` is the name of the fact that identifies the resource. */
function ofResource<R extends DomainErrorReason>(
  code: Code,
  type: string,
  fact: keyof DomainErrorFacts[R],
): RpcErrorTemplate<R> {
  return {
    code,
    detail: (facts, description) => {
      const value = { resourceType: `calltracking.v1.${type}`, resourceName: String(facts[fact]), description };
      return { desc: ResourceInfoSchema, value };
    },
  };
}

/** Returns the wire form of an unmet precondition. `subject` is the name of the fact that identifies the subject of the precondition. */
function precondition<R extends DomainErrorReason>(reason: R, subject: keyof DomainErrorFacts[R]): RpcErrorTemplate<R> {
  return {
    code: Code.FailedPrecondition,
    detail: (facts, message) => violated(reason, String(facts[subject]), message),
  };
}

function violated(type: string, subject: string, description: string): Detail {
  return { desc: PreconditionFailureSchema, value: { violations: [{ type, subject, description }] } };
}

/** Returns the wire form of a temporary failure. It tells clients after how many seconds to retry. */
function limited(code: Code): RpcErrorTemplate<"OVERLOADED" | "RATE_LIMIT_EXCEEDED"> {
  return {
    code,
    detail: ({ retryAfterS }) => {
      return { desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(retryAfterS), nanos: 0 } } };
    },
    headers: ({ retryAfterS }) => retryAfter(retryAfterS),
  };
}

function retryAfter(seconds: number): Record<string, string> {
  return { "retry-after": String(seconds) };
}
