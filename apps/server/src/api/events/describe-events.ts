import type { Event } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { ABSENT_ACCOUNT_ID } from "../../database/idempotency/idempotency-key.js";
import type { CallTrackerEventFacts } from "../../database/tables/schema.js";
import type { PhoneSystemContext } from "../phone-systems/phone-system-view.js";
import { computeEventId } from "./event-id.js";
import type { EventRow } from "./event-repository.js";
import { type EventDatabaseAccess, findAccountTokens } from "./event-resource-statements.js";
import { findEventResources, formatEventResourceKey, parseEventResourceKind } from "./event-resources.js";

/** Converts event rows to messages, each with the current state of its resource. */
export async function describeEvents(
  database: EventDatabaseAccess,
  logId: string,
  rows: readonly EventRow[],
  phoneSystems: PhoneSystemContext,
): Promise<Event[]> {
  const accountIds = [...new Set(rows.map((row) => row.account_id))].filter((id) => id !== ABSENT_ACCOUNT_ID);
  const tokens = new Map(
    (await findAccountTokens(database.db, accountIds)).map((row) => [row.account_id, row.account_token]),
  );
  const accounts = new Map(
    Array.from(tokens, ([accountId, accountToken]): [number, ResolvedAccount] => [
      accountId,
      { accountId, accountToken },
    ]),
  );
  const resources = await findEventResources(database, rows, accounts, phoneSystems);
  return rows.map((row): Event => {
    const accountToken = tokens.get(row.account_id);
    const resource = resources.get(formatEventResourceKey(row));
    return {
      $typeName: "calltracking.v1.Event",
      id: computeEventId(logId, row),
      type: row.type,
      occurredAt: timestampOfMicros(row.occurred_at),
      accountToken,
      subject: subjectOf(row, accountToken),
      position: row.position,
      resource: resource ?? { case: undefined },
      ...(row.facts !== null && { callTrackerEvent: callTrackerEventOf(row.facts) }),
    };
  });
}

/** Returns the JSON API path of an event's resource, without `BASE_PATH`. */
function subjectOf(row: EventRow, accountToken: string | undefined): string {
  const account = `/dni_manager/accounts/${encodeURIComponent(accountToken ?? "")}`;
  switch (parseEventResourceKind(row)) {
    case "account":
      return `/call_tracking/accounts/${encodeURIComponent(accountToken ?? "")}`;
    case "phone_number":
      return `${account}/phone_numbers/${row.resource_id}`;
    case "pool":
      return `${account}/pools/${row.resource_id}`;
    case "call_tracker":
      return `${account}/pools/${row.pool_id}/call_trackers/${row.resource_id}`;
    case "tracking_number":
      return `/dni_manager/tracking_numbers/${encodeURIComponent(row.number ?? "")}`;
    case "phone_system":
      return `/call_tracking/phone_systems/${row.resource_id}`;
    case "call_flow":
      return row.pool_id === null ? account : `${account}/pools/${row.pool_id}`;
    case "source_aliases":
      return `${account}/source_aliases`;
    case "call":
      return `${account}/calls/${row.resource_id}`;
    case "webhook_endpoint":
      return `${accountToken === undefined ? "/dni_manager" : account}/webhook_endpoints/${row.resource_id}`;
  }
}

function timestampOfMicros(micros: string) {
  const seconds = BigInt(micros) / 1_000_000n;
  const nanos = Number(BigInt(micros) % 1_000_000n) * 1000;
  return { $typeName: "google.protobuf.Timestamp", seconds, nanos } as const;
}

function callTrackerEventOf({ tracking_number, source, medium, reason }: CallTrackerEventFacts) {
  return {
    $typeName: "calltracking.v1.CallTrackerEvent",
    trackingNumber: tracking_number,
    source: source ?? undefined,
    medium: medium ?? undefined,
    reason,
  } as const;
}
