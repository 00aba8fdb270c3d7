import { hash } from "node:crypto";
import type { ImportRow } from "../import/import-row.js";
import type { RowJoining } from "../import/run-import.js";
import type { TimeZone } from "../text/time-zone.js";
import type { CallLeg } from "./call-leg.js";
import type { CallLogFormat } from "./call-log-format.js";
import { legFromFields } from "./field-legs.js";
import { findDateOrder } from "./find-date-order.js";
import { joinCalls } from "./join-calls.js";
import { joinLegs, type Parties } from "./join-legs.js";
import { logColumns } from "./log-columns.js";
import type { NumberOptions } from "./log-number.js";
import { createLegReader } from "./read-leg.js";

const counts = ["completed", "different", "joined", "skipped"] as const;

/** Joins the rows of a file that has Calltrack's own columns. */
export const ownColumnsJoining: RowJoining = {
  counts,
  join: (rows) =>
    joinCalls(rows, legFromFields, (legs) => {
      const [leg] = legs;
      return leg !== undefined && legs.length === 1 ? leg.row.content : joinLegs(legs, undefined, () => "");
    }),
};

const NO_DIALED_LEGS =
  "note: no row is a leg to the business, so calls that the phone system answered count as missed: export the legs to the business too\n";

/**
 * Joins the rows of a phone system's log.
 *
 * @param notify tells the user if the log lacks the legs that show whether the business answered.
 */
export function createLogJoining(
  format: CallLogFormat,
  options: NumberOptions & { readonly timeZone?: TimeZone; readonly history?: string },
  notify: (line: string) => void,
): RowJoining {
  let dateOrder = format.date_order;
  const isInternational = format.number_format === "international";
  const isPast = options.history !== undefined;
  let [hasDialed, hasPickedUp] = [false, false];
  return {
    counts,
    columns: logColumns(format),
    async survey(rows) {
      dateOrder = await findDateOrder(rows, format);
    },
    async *join(rows) {
      const readLeg = createLegReader({ ...format, date_order: dateOrder }, options.timeZone);
      const legOf = (row: ImportRow): CallLeg => {
        const leg = readLeg(row);
        hasDialed ||= leg.isDialed;
        hasPickedUp ||= leg.isPickedUp && leg.skipReason === undefined;
        return leg;
      };
      yield* joinCalls(rows, legOf, (legs) =>
        joinLegs(legs, { ...options, isInternational, isPast, origins: format.origins }, deriveId),
      );
      if (hasPickedUp && !hasDialed) notify(NO_DIALED_LEGS);
    },
  };
}

/**
 * Returns an id for a call from a log without ids. It depends only on the facts that identify the call, so that any part of the log gives
 * the call the same id. Ids cannot be erased, so the caller is included only as a hash, too short to find the number by trial.
 */
function deriveId({ trackingNumber, callerNumber }: Parties, startedAt: number): string {
  const id = `${new Date(startedAt).toISOString()}/${trackingNumber}`;
  return callerNumber === undefined ? id : `${id}/${hash("sha256", `${id}/${callerNumber}`).slice(0, 4)}`;
}
