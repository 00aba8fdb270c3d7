import { codeToName } from "@calltrack/transcoding";
import { Code } from "@connectrpc/connect";

/** What a request came to: a code of google.rpc, of which 0 is success. */
export type Outcome = Code | 0;

/** The name of an outcome in google/rpc/code.proto, such as `OK`. */
export function outcomeName(outcome: Outcome): string {
  return outcome === 0 ? "OK" : codeToName(outcome);
}

/** Statuses that say more than that the request, or the server, is at fault. */
const OF_STATUS: ReadonlyMap<number, Code> = new Map([
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
  // A method whose both sides are streams, asked for over HTTP/1.1.
  [505, Code.Unimplemented],
]);

/** The outcome that an HTTP status tells. Several codes share some statuses: this is the one that says the least. */
export function outcomeOfStatus(status: number): Outcome {
  if (status < 400) return 0;
  return OF_STATUS.get(status) ?? (status < 500 ? Code.InvalidArgument : Code.Internal);
}

/** Whether an outcome is the service's fault, and not the caller's. */
export function isServiceFailure(outcome: Outcome): boolean {
  return (
    outcome === Code.Internal || outcome === Code.Unknown || outcome === Code.Unavailable || outcome === Code.DataLoss
  );
}
