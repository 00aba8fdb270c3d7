import { OMITTED_VIOLATIONS_PATTERN } from "@calltrack/domain";
import { BadRequestSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { ConnectError } from "@connectrpc/connect";
import { isUnreadableResponseError } from "../connection/unreachable-error.js";
import type { RowFields } from "./import-row.js";
import { createFailureOutcome, type RowOutcome } from "./row-outcome.js";

export interface RowSender {
  /** Maximum number of rows per request. */
  readonly batchSize: number;
  /** The request field that holds the rows; undefined if each request holds one row. */
  readonly listField?: string;
  /** Sends one request. Returns an outcome for each row in order. Rejects if the service rejects the whole request. */
  readonly send: (rows: readonly RowFields[]) => Promise<readonly RowOutcome[]>;
}

/**
 * Returns an outcome for each row; never rejects. If the service rejects a batch because of some rows, these rows are rejected, and the other
 * rows are sent again.
 */
export async function sendRows(sender: RowSender, rows: readonly RowFields[]): Promise<readonly RowOutcome[]> {
  try {
    return await sender.send(rows);
  } catch (error) {
    const reasons = findViolations(error, sender.listField);
    if (reasons.size === 0) {
      return rows.length > 1 && isUnreadableResponseError(error)
        ? await sendHalves(sender, rows)
        : rows.map(() => createFailureOutcome(error));
    }
    const right = rows.filter((_, index) => !reasons.has(index));
    const outcomes = (right.length === 0 ? [] : await sendRows(sender, right)).values();
    return rows.map((_, index) => {
      const reason = reasons.get(index);
      return reason === undefined
        ? (outcomes.next().value ?? { kind: "unanswered" })
        : { kind: "refused", reason: reason.join("; ") };
    });
  }
}

/** Sends the halves of a batch separately. Over gRPC, an error with too many violations exceeds the header limit and cannot be read. */
async function sendHalves(sender: RowSender, rows: readonly RowFields[]): Promise<readonly RowOutcome[]> {
  const middle = Math.ceil(rows.length / 2);
  const first = await sendRows(sender, rows.slice(0, middle));
  const rest = rows.slice(middle);
  if (first.some(({ fatal }) => fatal !== undefined))
    return [...first, ...rest.map(() => ({ kind: "unanswered" }) as const)];
  return [...first, ...(await sendRows(sender, rest))];
}

/**
 * Returns the violations, keyed by row index. If the service omitted violations, the last listed row may have further violations. That row is then
 * left out, so that it is sent again, unless it is the only row with violations.
 */
function findViolations(error: unknown, listField: string | undefined): ReadonlyMap<number, readonly string[]> {
  const reasons = new Map<number, string[]>();
  if (!(error instanceof ConnectError) || listField === undefined) return reasons;
  for (const { field, description } of error.findDetails(BadRequestSchema).flatMap((it) => it.fieldViolations)) {
    const [, list, index, name] = /^(\w+)\[(\d+)\]\.(.+)$/.exec(field) ?? [];
    if (list !== listField) continue;
    const own = description.replace(OMITTED_VIOLATIONS_PATTERN, "");
    reasons.set(Number(index), [...(reasons.get(Number(index)) ?? []), `${name} ${own}`]);
    if (own !== description && reasons.size > 1) reasons.delete(Number(index));
  }
  return reasons;
}
