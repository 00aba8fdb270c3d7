import { ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { findServiceRetryDelayMs } from "../connection/retry/retry-delay.js";
import { isUnreachableError } from "../connection/unreachable-error.js";

/**
 * The result of importing a record. `completed` means that the service already had the record, and that the import added missing facts.
 *
 * `different` means that the service already had the record with different facts. `unanswered` means that the result is unknown.
 */
export type RowOutcome = (
  | { readonly kind: "created" | "already there" | "completed" }
  | { readonly kind: "refused" | "different" | "skipped"; readonly reason: string }
  | { readonly kind: "unanswered" }
) & {
  /** The reason why no further row can be imported; undefined if further rows can be. */
  readonly fatal?: unknown;
};

/** The number of rows by outcome. The counts add up to `rows`. */
export interface ImportTally extends Partial<Record<CallImportCountName, number>> {
  /** The number of rows that were read. */
  rows: number;
  created: number;
  already_there: number;
  refused: number;
  /** Rows sent without a response: it is unknown whether they were imported. */
  unanswered: number;
}

/** The counts that only imports of calls have. Rows of a call after its first row count as `joined`. */
export type CallImportCountName = "completed" | "different" | "joined" | "skipped";

/** Error reasons that would apply to every other row, so the import ends. */
const fatalReasons: readonly string[] = ["ACCOUNT_NOT_FOUND", "ACCOUNT_DISABLED"];
const fatalCodes: readonly Code[] = [Code.Unauthenticated, Code.PermissionDenied];

/** Returns the reason code of a service error; undefined if it has none. */
export function findErrorReason(error: ConnectError): string | undefined {
  return error.findDetails(ErrorInfoSchema)[0]?.reason;
}

/** Returns the outcome of a record that the service rejected within a batch. */
export function createRefusalOutcome({
  reason,
  message,
}: {
  readonly reason: string;
  readonly message: string;
}): RowOutcome {
  const isFatal = fatalReasons.includes(reason);
  return {
    kind: "refused",
    reason: message,
    ...(isFatal && { fatal: new ConnectError(message, Code.FailedPrecondition) }),
  };
}

/**
 * Returns the outcome of a row whose request failed: `unanswered` if the service did not respond, otherwise `refused`. Sets `fatal` if further rows
 * would fail too.
 */
export function createFailureOutcome(error: unknown): RowOutcome {
  if (!(error instanceof ConnectError) || isUnreachableError(error)) return { kind: "unanswered", fatal: error };
  const isFatal =
    fatalCodes.includes(error.code) ||
    fatalReasons.includes(findErrorReason(error) ?? "") ||
    findServiceRetryDelayMs(error) !== undefined;
  return { kind: "refused", reason: error.rawMessage, ...(isFatal && { fatal: error }) };
}

/**
 * Returns the outcomes of a batch whose response names the rejected rows but only counts the others. Of the rows that were not rejected, the first
 * `created` rows count as created, and the rest as already there.
 */
export function createBatchOutcomes<Row>(
  rows: readonly Row[],
  created: number,
  refusalOf: (row: Row, index: number) => RowOutcome | undefined,
): RowOutcome[] {
  let answered = 0;
  return rows.map((row, index) => {
    const refusal = refusalOf(row, index);
    if (refusal !== undefined) return refusal;
    answered += 1;
    return { kind: answered <= created ? "created" : "already there" };
  });
}
