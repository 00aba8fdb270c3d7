import { Code } from "@connectrpc/connect";

interface Status {
  readonly http: number;
  readonly name: string;
}

// From the comments of google/rpc/code.proto.
const STATUS: Record<Code, Status> = {
  [Code.Canceled]: { http: 499, name: "CANCELLED" },
  [Code.Unknown]: { http: 500, name: "UNKNOWN" },
  [Code.InvalidArgument]: { http: 400, name: "INVALID_ARGUMENT" },
  [Code.DeadlineExceeded]: { http: 504, name: "DEADLINE_EXCEEDED" },
  [Code.NotFound]: { http: 404, name: "NOT_FOUND" },
  [Code.AlreadyExists]: { http: 409, name: "ALREADY_EXISTS" },
  [Code.PermissionDenied]: { http: 403, name: "PERMISSION_DENIED" },
  [Code.ResourceExhausted]: { http: 429, name: "RESOURCE_EXHAUSTED" },
  [Code.FailedPrecondition]: { http: 400, name: "FAILED_PRECONDITION" },
  [Code.Aborted]: { http: 409, name: "ABORTED" },
  [Code.OutOfRange]: { http: 400, name: "OUT_OF_RANGE" },
  [Code.Unimplemented]: { http: 501, name: "UNIMPLEMENTED" },
  [Code.Internal]: { http: 500, name: "INTERNAL" },
  [Code.Unavailable]: { http: 503, name: "UNAVAILABLE" },
  [Code.DataLoss]: { http: 500, name: "DATA_LOSS" },
  [Code.Unauthenticated]: { http: 401, name: "UNAUTHENTICATED" },
};

/** Whether a number is an error code. A ConnectError can be created with any number. */
export function isCode(code: number): code is Code {
  return Object.hasOwn(STATUS, code);
}

/** Returns the HTTP status that google/rpc/code.proto maps an error code to. */
export function httpStatusFromCode(code: Code): number {
  return STATUS[code].http;
}

/** Returns the name of an error code in google/rpc/code.proto, such as `NOT_FOUND`. */
export function codeToName(code: Code): string {
  return STATUS[code].name;
}
