import { expandEventTypes } from "@calltrack/domain";
import { type EventRow, listEvents } from "../api/events/event-repository.js";
import { type EventDatabaseAccess, findCallStartsStatement } from "../api/events/event-resource-statements.js";
import { formatEventResourceKey } from "../api/events/event-resources.js";
import { ABSENT_ACCOUNT_ID } from "../database/idempotency/idempotency-key.js";
import { enqueueDeliveriesStatement, type LeasedEndpoint, type NewDelivery } from "./delivery-statements.js";

const BATCH = 500;

/**
 * Creates deliveries for the next events of an endpoint.
 *
 * @param end the position up to which the log is settled.
 * @returns the endpoint's new position, and the events that are due; undefined if another request or sender has changed the position.
 */
export async function enqueueEvents(
  database: EventDatabaseAccess,
  sender: string,
  endpoint: LeasedEndpoint,
  end: bigint,
): Promise<{ readonly position: string; readonly due: readonly EventRow[] } | undefined> {
  const { account_id: accountId, id, position, types } = endpoint;
  const { db } = database;
  const rows = await listEvents(db, accountId === ABSENT_ACCOUNT_ID ? undefined : accountId, {
    ...{ after: BigInt(position), until: end, from: undefined },
    ...{ types: expandEventTypes(types), limit: BATCH },
  });
  const last = rows[BATCH - 1];
  const until = last === undefined ? end : BigInt(last.position);
  const old = await findOldEvents(database, endpoint, rows);
  // The request that creates a test event also creates its delivery.
  const wanted = rows.filter((row) => row.type !== "webhook_endpoint.test" && !old.has(row));
  const enqueued = await enqueueDeliveriesStatement(db, {
    ...{ accountId, id, sender },
    ...{ from: position, until: String(until), deliveries: JSON.stringify(wanted.map(deliveryOf)) },
  });
  const due = new Set(enqueued.map((row) => row.position));
  return enqueued.length === 0
    ? undefined
    : { position: String(until), due: wanted.filter((row) => due.has(row.position)) };
}

/** Returns the events that happened more than `max_age_seconds` after the start of their calls. */
async function findOldEvents(
  database: EventDatabaseAccess,
  { max_age_seconds }: LeasedEndpoint,
  rows: readonly EventRow[],
): Promise<ReadonlySet<EventRow>> {
  const events = rows.filter(isOfCall);
  if (events.length === 0) return new Set();
  const starts = await findCallStartsStatement(database, {
    accountIds: events.map((row) => row.account_id),
    ids: events.map((row) => row.resource_id ?? ""),
  });
  const startOf = new Map(starts.map(({ id, started_at }) => [id, started_at.getTime()]));
  const isOld = ({ resource_id, occurred_at }: EventRow) => {
    const start = startOf.get(resource_id ?? "");
    return start !== undefined && Number(occurred_at) / 1000 - start > max_age_seconds * 1000;
  };
  return new Set(events.filter(isOld));
}

/**
 * Whether an event is sent only if its call is recent. `call.caller_forgotten` is always sent, because the receiver must learn of every forgotten
 * caller.
 */
function isOfCall({ type }: EventRow): boolean {
  return type.startsWith("call.") && type !== "call.caller_forgotten";
}

function deliveryOf(row: EventRow): NewDelivery {
  const call_id = row.type.startsWith("call.") ? row.resource_id : null;
  return { position: row.position, subject: formatEventResourceKey(row), call_id };
}
