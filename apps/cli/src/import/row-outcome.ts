import { ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { askedDelay } from "../retry/retry-delay.js";
import { isUnreachable } from "../unreachable.js";

/** What became of a row. Every kind but `unanswered` is certain. */
export type RowOutcome = (
  | { readonly kind: "created" }
  | { readonly kind: "already there" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "unanswered" }
) & {
  /** Why no further row can be imported, where this row showed it. */
  readonly fatal?: unknown;
};

/** Refusals that every further row would meet as well. */
const hopelessReasons: readonly string[] = ["ACCOUNT_NOT_FOUND", "ACCOUNT_DISABLED"];
const hopelessCodes: readonly Code[] = [Code.Unauthenticated, Code.PermissionDenied];

/** The reason code of an error of the service, or undefined where it has none. */
export function findErrorReason(error: ConnectError): string | undefined {
  return error.findDetails(ErrorInfoSchema)[0]?.reason;
}

/** The outcome of a row whose request failed. */
export function outcomeOfFailure(error: unknown): RowOutcome {
  if (!(error instanceof ConnectError) || isUnreachable(error)) return { kind: "unanswered", fatal: error };
  const isHopeless =
    hopelessCodes.includes(error.code) ||
    hopelessReasons.includes(findErrorReason(error) ?? "") ||
    askedDelay(error) !== undefined;
  return { kind: "refused", reason: error.rawMessage, ...(isHopeless && { fatal: error }) };
}
