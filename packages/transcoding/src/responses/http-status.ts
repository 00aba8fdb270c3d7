import { Code } from "@connectrpc/connect";
import { Code as RpcCode } from "../gen/google/rpc/code_pb.js";

// From the comments of google/rpc/code.proto.
const STATUS: Record<Code, number> = {
  [Code.Canceled]: 499,
  [Code.Unknown]: 500,
  [Code.InvalidArgument]: 400,
  [Code.DeadlineExceeded]: 504,
  [Code.NotFound]: 404,
  [Code.AlreadyExists]: 409,
  [Code.PermissionDenied]: 403,
  [Code.ResourceExhausted]: 429,
  [Code.FailedPrecondition]: 400,
  [Code.Aborted]: 409,
  [Code.OutOfRange]: 400,
  [Code.Unimplemented]: 501,
  [Code.Internal]: 500,
  [Code.Unavailable]: 503,
  [Code.DataLoss]: 500,
  [Code.Unauthenticated]: 401,
};

/** Whether a number is an error code. A ConnectError can be created with any number. */
export function isCode(code: number): code is Code {
  return Object.hasOwn(STATUS, code);
}

/** Returns the HTTP status that google/rpc/code.proto maps an error code to. */
export function httpStatusFromCode(code: Code): number {
  return STATUS[code];
}

/** Returns the name of an error code in google/rpc/code.proto, such as `NOT_FOUND`. */
export function codeToName(code: Code): string {
  return RpcCode[code] as string;
}
