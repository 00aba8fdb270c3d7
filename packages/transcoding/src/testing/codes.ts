import { Code } from "@connectrpc/connect";

/** Every error code with its HTTP status and its name in google/rpc/code.proto. Connect uses the same statuses. */
export const ERROR_CODES: readonly (readonly [Code, number, string])[] = [
  [Code.Canceled, 499, "CANCELLED"],
  [Code.Unknown, 500, "UNKNOWN"],
  [Code.InvalidArgument, 400, "INVALID_ARGUMENT"],
  [Code.DeadlineExceeded, 504, "DEADLINE_EXCEEDED"],
  [Code.NotFound, 404, "NOT_FOUND"],
  [Code.AlreadyExists, 409, "ALREADY_EXISTS"],
  [Code.PermissionDenied, 403, "PERMISSION_DENIED"],
  [Code.ResourceExhausted, 429, "RESOURCE_EXHAUSTED"],
  [Code.FailedPrecondition, 400, "FAILED_PRECONDITION"],
  [Code.Aborted, 409, "ABORTED"],
  [Code.OutOfRange, 400, "OUT_OF_RANGE"],
  [Code.Unimplemented, 501, "UNIMPLEMENTED"],
  [Code.Internal, 500, "INTERNAL"],
  [Code.Unavailable, 503, "UNAVAILABLE"],
  [Code.DataLoss, 500, "DATA_LOSS"],
  [Code.Unauthenticated, 401, "UNAUTHENTICATED"],
];
