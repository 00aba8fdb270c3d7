import { hash } from "node:crypto";
import type { ImportRow } from "../import/import-row.js";
import type { RowJoiner } from "../import/run-import.js";
import type { TimeZone } from "../text/time-zone.js";
import type { CallLeg } from "./call-leg.js";
import type { CallLogFormat } from "./call-log-format.js";
import { findCallLogDayMonthOrder } from "./find-call-log-day-month-order.js";
import { type CallPhoneNumbers, joinLegsIntoCall } from "./join-legs-into-call.js";
import { joinRowsIntoCalls } from "./join-rows-into-calls.js";
import { createCallLogColumns } from "./log-columns.js";
import type { NationalNumberOptions } from "./log-number.js";
import { createLegReader } from "./read-leg.js";
import { readLegFromCalltrackColumns } from "./read-leg-from-calltrack-columns.js";

const counts = ["completed", "different", "joined", "skipped"] as const;

/** For files with Calltrack's own columns: rows with the same `call_id` and `tracking_number` become one call. */
export const calltrackFileRowJoiner: RowJoiner = {
  counts,
  join: (rows) =>
    joinRowsIntoCalls(rows, readLegFromCalltrackColumns, (legs) => {
      const [leg] = legs;
      return leg !== undefined && legs.length === 1 ? leg.row.content : joinLegsIntoCall(legs, undefined, () => "");
    }),
};

const NO_DIALED_LEGS =
  "note: no row is a leg to the business, so calls that the phone system answered count as missed: include the legs to the business in the export\n";

/** @param notify called with a note for the user if the log lacks the legs that show whether the business answered. */
export function createCallLogRowJoiner(
  format: CallLogFormat,
  options: NationalNumberOptions & { readonly timeZone?: TimeZone; readonly history?: string },
  notify: (line: string) => void,
): RowJoiner {
  let dateOrder = format.date_order;
  const isInternational = format.number_format === "international";
  const isPast = options.history !== undefined;
  let [hasDialed, hasPickedUp] = [false, false];
  return {
    counts,
    columns: createCallLogColumns(format),
    async survey(rows) {
      dateOrder = await findCallLogDayMonthOrder(rows, format);
    },
    async *join(rows) {
      const readLeg = createLegReader({ ...format, date_order: dateOrder }, options.timeZone);
      const legOf = (row: ImportRow): CallLeg => {
        const leg = readLeg(row);
        hasDialed ||= leg.isDialed;
        hasPickedUp ||= leg.isPickedUp && leg.skipReason === undefined;
        return leg;
      };
      yield* joinRowsIntoCalls(rows, legOf, (legs) =>
        joinLegsIntoCall(legs, { ...options, isInternational, isPast, origins: format.origins }, deriveId),
      );
      if (hasPickedUp && !hasDialed) notify(NO_DIALED_LEGS);
    },
  };
}

/**
 * Derives an id for a call from a log without ids. The id depends only on the start and the numbers of the call. An import of any part of the log
 * therefore yields the same id.
 *
 * Ids cannot be erased, so an id contains only a hash of the caller's number. The hash is too short to identify the number by trial.
 */
function deriveId({ trackingNumber, callerNumber }: CallPhoneNumbers, startedAt: number): string {
  const id = `${new Date(startedAt).toISOString()}/${trackingNumber}`;
  return callerNumber === undefined ? id : `${id}/${hash("sha256", `${id}/${callerNumber}`).slice(0, 4)}`;
}
