import { BadRequestSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { ConnectError } from "@connectrpc/connect";
import { isUnreadable } from "../unreachable.js";
import type { RowFields } from "./import-row.js";
import { outcomeOfFailure, type RowOutcome } from "./row-outcome.js";

/** How rows reach the service. */
export interface RowSender {
  /** The most rows of one request. */
  readonly batchSize: number;
  /** The field of the request that holds the rows; undefined where a request is one row. */
  readonly listField?: string;
  /** Sends one request. Returns an outcome for each row in order; rejects where the service takes none of them. */
  readonly send: (rows: readonly RowFields[]) => Promise<readonly RowOutcome[]>;
}

/** Sends each row in a request of its own. */
export function createSingleSender(sendOne: (fields: RowFields) => Promise<RowOutcome>): RowSender {
  return { batchSize: 1, send: async (rows) => await Promise.all(rows.map(sendOne)) };
}

/**
 * Sends rows and returns an outcome for each. Where the service names rows whose fields are wrong, and takes none for their
 * sake, these are refused and the others are sent again. Never rejects.
 */
export async function sendRows(sender: RowSender, rows: readonly RowFields[]): Promise<readonly RowOutcome[]> {
  try {
    return await sender.send(rows);
  } catch (error) {
    const reasons = findWrongRows(error, sender.listField);
    if (reasons.size === 0) {
      return rows.length > 1 && isUnreadable(error)
        ? await sendHalves(sender, rows)
        : rows.map(() => outcomeOfFailure(error));
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

/** Over gRPC an answer that has more to say of wrong rows than headers hold breaks off: fewer rows have less wrong. */
async function sendHalves(sender: RowSender, rows: readonly RowFields[]): Promise<readonly RowOutcome[]> {
  const middle = Math.ceil(rows.length / 2);
  const first = await sendRows(sender, rows.slice(0, middle));
  const rest = rows.slice(middle);
  if (first.some(({ fatal }) => fatal !== undefined))
    return [...first, ...rest.map(() => ({ kind: "unanswered" }) as const)];
  return [...first, ...(await sendRows(sender, rest))];
}

/** What the service says is wrong with single rows of a request, by their places in it. */
function findWrongRows(error: unknown, listField: string | undefined): ReadonlyMap<number, readonly string[]> {
  const reasons = new Map<number, string[]>();
  if (!(error instanceof ConnectError) || listField === undefined) return reasons;
  for (const { field, description } of error.findDetails(BadRequestSchema).flatMap((it) => it.fieldViolations)) {
    const [, list, index, name] = /^(\w+)\[(\d+)\]\.(.+)$/.exec(field) ?? [];
    if (list !== listField) continue;
    reasons.set(Number(index), [...(reasons.get(Number(index)) ?? []), `${name} ${description}`]);
  }
  return reasons;
}
