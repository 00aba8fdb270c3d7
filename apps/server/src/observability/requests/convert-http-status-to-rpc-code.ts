import { Code } from "@connectrpc/connect";

/** The HTTP statuses that have a more specific code than `INVALID_ARGUMENT` (other 4xx) or `INTERNAL` (other 5xx). */
const CODES_BY_STATUS: ReadonlyMap<number, Code> = new Map([
  [401, Code.Unauthenticated],
  [403, Code.PermissionDenied],
  [404, Code.NotFound],
  [405, Code.Unimplemented],
  [408, Code.DeadlineExceeded],
  [409, Code.Aborted],
  [412, Code.Aborted],
  [413, Code.ResourceExhausted],
  [429, Code.ResourceExhausted],
  [499, Code.Canceled],
  [501, Code.Unimplemented],
  [503, Code.Unavailable],
  [504, Code.DeadlineExceeded],
  // The response to a bidirectional streaming RPC over HTTP/1.1.
  [505, Code.Unimplemented],
]);

/** Returns the google.rpc code for an HTTP status of at least 400. If several codes share the status, returns the most general code. */
export function convertHttpStatusToRpcCode(status: number): Code {
  return CODES_BY_STATUS.get(status) ?? (status < 500 ? Code.InvalidArgument : Code.Internal);
}
