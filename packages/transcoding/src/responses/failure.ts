import { create, type DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, type ContextValues } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { type FieldViolation, RequestError, type RequestErrorReason } from "../http/request-error.js";
import { codeToName, httpStatusFromCode, isConnectCode } from "./http-status.js";
import { toWellFormed } from "./well-formed.js";

/** The error that clients get for a thrown value. */
export interface RpcFailure {
  readonly httpStatus: number;
  readonly code: Code;
  readonly message: string;
  readonly details: ConnectError["details"];
  readonly headers: Iterable<readonly [string, string]>;
}

export interface FailedRpc {
  readonly method: DescMethod;
  readonly values: ContextValues;
  /** Why the RPC ended, such as an error for the passed deadline; undefined while the RPC runs. */
  readonly endReason: unknown;
}

/** Called with a thrown value that clients must not see. May return the error to send instead. `rpc` is undefined if no RPC has begun. */
// biome-ignore lint/suspicious/noConfusingVoidType: a listener that only logs returns nothing
export type ErrorListener = (error: unknown, rpc: FailedRpc | undefined) => ConnectError | void;

/** Converts a thrown value to the error that clients get. `context` is undefined if the request failed before the RPC began. */
export type FailureConverter = (thrown: unknown, context: FailedRpc | undefined) => RpcFailure;

/** The HTTP status and the RPC code for each reason. The status is 400 unless HTTP has a more specific one. */
const STATUS: Record<RequestErrorReason, { readonly httpStatus: number; readonly code: Code }> = {
  FIELD_INVALID: { httpStatus: 400, code: Code.InvalidArgument },
  BODY_MALFORMED: { httpStatus: 400, code: Code.InvalidArgument },
  BODY_TOO_LARGE: { httpStatus: 413, code: Code.ResourceExhausted },
  CONTENT_TYPE_UNSUPPORTED: { httpStatus: 415, code: Code.InvalidArgument },
  CONTENT_ENCODING_UNSUPPORTED: { httpStatus: 415, code: Code.InvalidArgument },
  // INTERNAL, as in other implementations of gRPC: https://github.com/grpc/grpc/blob/master/doc/compression.md
  FRAME_MALFORMED: { httpStatus: 400, code: Code.Internal },
  NOT_ACCEPTABLE: { httpStatus: 406, code: Code.InvalidArgument },
  PATH_MALFORMED: { httpStatus: 400, code: Code.InvalidArgument },
  HEADER_MALFORMED: { httpStatus: 400, code: Code.InvalidArgument },
  ROUTE_NOT_FOUND: { httpStatus: 404, code: Code.NotFound },
  METHOD_NOT_ALLOWED: { httpStatus: 405, code: Code.Unimplemented },
  ETAG_MISMATCH: { httpStatus: 412, code: Code.Aborted },
};

/** Creates a failure converter. It passes a thrown value to `onError` if clients must not see the value. */
export function createFailureConverter(domain: string, onError: ErrorListener | undefined): FailureConverter {
  return (thrown, context) => {
    // When the RPC's signal aborts, Node.js and other libraries throw an AbortError. The reason why the RPC ended is the actual cause.
    const isAbort = thrown instanceof Error && thrown.name === "AbortError";
    const error = (isAbort ? context?.endReason : undefined) ?? thrown;
    const isKnown = error instanceof RequestError || isConnectError(error);
    return wellFormed(failureFromError(isKnown ? error : (onError?.(error, context) ?? error), domain));
  };
}

/** Replaces unpaired surrogates in the message and the details. Leaves details from another server unchanged, because they are bytes. */
function wellFormed(failure: RpcFailure): RpcFailure {
  const details = failure.details.map((detail) =>
    "desc" in detail ? { ...detail, value: toWellFormed(detail.value) } : detail,
  );
  return { ...failure, message: toWellFormed(failure.message), details };
}

/**
 * Converts a thrown value. As in Connect, a value that clients must not see becomes `INTERNAL` with a generic message, and an error from another
 * server loses its headers. Adds a `google.rpc.ErrorInfo` (AIP-193) with the name of the code as reason, unless the error has an ErrorInfo.
 */
function failureFromError(error: unknown, domain: string): RpcFailure {
  if (error instanceof RequestError) return failureFromRequestError(error, domain);
  const { code, rawMessage, details, metadata, isWireError } = isConnectError(error)
    ? error
    : new ConnectError("internal error", Code.Internal);
  return {
    httpStatus: httpStatusFromCode(code),
    code,
    message: rawMessage,
    details: details.some(isErrorInfo) ? details : [...details, errorInfo(codeToName(code), domain)],
    headers: isWireError ? [] : metadata,
  };
}

export function failureToConnectError({ code, message, details, headers }: RpcFailure): ConnectError {
  const error = new ConnectError(message, code, new Headers([...headers] as [string, string][]));
  error.details = [...details];
  return error;
}

/** Whether clients may see an error: it is a ConnectError with a valid code. */
function isConnectError(error: unknown): error is ConnectError {
  return error instanceof ConnectError && isConnectCode(error.code);
}

/** Formats violations as one error message, such as `size must be between 1 and 10000; name is required`. */
export function violationsToMessage(violations: readonly FieldViolation[]): string {
  return violations.map(({ field, description }) => `${field} ${description}`.trimStart()).join("; ");
}

function failureFromRequestError(error: RequestError, domain: string): RpcFailure {
  const badRequest = {
    desc: BadRequestSchema,
    value: create(BadRequestSchema, { fieldViolations: error.violations.map((violation) => ({ ...violation })) }),
  };
  return {
    ...STATUS[error.reason],
    message: error.message,
    details: [...(error.violations.length > 0 ? [badRequest] : []), errorInfo(error.reason, domain)],
    headers: Object.entries(error.headers),
  };
}

function errorInfo(reason: string, domain: string): ConnectError["details"][number] {
  return { desc: ErrorInfoSchema, value: create(ErrorInfoSchema, { reason, domain }) };
}

function isErrorInfo(detail: ConnectError["details"][number]): boolean {
  return ("desc" in detail ? detail.desc.typeName : detail.type) === ErrorInfoSchema.typeName;
}
