import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { deriveDefaultCallOutcome } from "@calltrack/domain";
import type { CallOutcome } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { ImportRow, RowFields } from "../import/import-row.js";
import { type CallLeg, createCallOrigin } from "./call-leg.js";

/** Gives rows with the same `call_id` and `tracking_number` the same key, so that they become one call. */
export function readLegFromCalltrackColumns(row: ImportRow): CallLeg {
  const { content } = row;
  const fields = (content.kind === "fields" ? content.fields : content.rest?.fields) ?? {};
  const text = (name: string) => String(fields[name] ?? "");
  const times = {
    startedAt: timeOf(fields, "startedAt"),
    answeredAt: timeOf(fields, "answeredAt"),
    endedAt: timeOf(fields, "endedAt"),
  };
  const [callId, trackingNumber] = [text("callId"), text("trackingNumber")];
  return {
    row,
    keys: callId === "" ? [] : [`${callId} ${trackingNumber}`],
    ...{ callId, isDialed: false, isLinked: false, hasCallerLegIds: false },
    ...{ trackingNumber, callerNumber: text("callerNumber") },
    ...times,
    isPickedUp: false,
    outcome:
      (fields.outcome as CallOutcome | undefined) ??
      deriveDefaultCallOutcome({ answeredAt: dateOf(times.answeredAt), endedAt: dateOf(times.endedAt) }),
    recordingUrl: text("recordingUrl") || undefined,
    origin: createCallOrigin((key) => text(protoCamelCase(key))),
    problem: content.kind === "unreadable" ? content.reason : undefined,
    skipReason: undefined,
  };
}

function timeOf(fields: RowFields, name: string): number | undefined {
  const time = fields[name] as Timestamp | undefined;
  return time === undefined ? undefined : timestampMs(time);
}

function dateOf(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}
