import type { EventType } from "@calltrack/domain";
import type { Event } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { toAccountMessage } from "../accounts/account-repository.js";
import { requireCallFlow } from "../call-flows/call-flow-repository.js";
import { describeCallFlow } from "../call-flows/describe-call-flow.js";
import { findCallTracker } from "../call-trackers/call-tracker-repository.js";
import { toCallMessage } from "../calls/call-row.js";
import { toTrackingNumberMessage } from "../inventory/tracking-number-repository.js";
import { toPhoneNumberMessage } from "../phone-numbers/phone-number-repository.js";
import { findPhoneSystemRows } from "../phone-systems/phone-system-repository.js";
import { type PhoneSystemContext, toPhoneSystemMessage } from "../phone-systems/phone-system-view.js";
import { toPoolMessage } from "../pools/pool-repository.js";
import { getSourceAliases } from "../traffic/source-alias-repository.js";
import type { EventRow } from "./event-repository.js";
import {
  type EventDatabaseAccess,
  findAccountsStatement,
  findCallsStatement,
  findPhoneNumbersStatement,
  findPoolsStatement,
  findTrackingNumbersStatement,
} from "./event-resource-statements.js";

/** The kind of an event's resource: the part of the event's type before the dot. */
type EventKind = EventType extends `${infer K}.${string}` ? K : never;

type EventResource = Event["resource"];

export function parseEventResourceKind({ type }: Pick<EventRow, "type">): EventKind {
  return type.slice(0, type.indexOf(".")) as EventKind;
}

export function formatEventResourceKey(
  row: Pick<EventRow, "account_id" | "type" | "pool_id" | "resource_id" | "number">,
): string {
  return [parseEventResourceKind(row), row.account_id, row.pool_id ?? "", row.resource_id ?? row.number ?? ""].join();
}

/**
 * Returns the resources of events, keyed by the result of `formatEventResourceKey`, without deleted resources. Reads all resources of a kind
 * together.
 */
export async function findEventResources(
  database: EventDatabaseAccess,
  rows: readonly EventRow[],
  accounts: ReadonlyMap<number, ResolvedAccount>,
  phoneSystems: PhoneSystemContext,
): Promise<ReadonlyMap<string, EventResource>> {
  const { db } = database;
  // A resource is read once, even if several events are about it.
  const named = new Map(rows.map((row) => [formatEventResourceKey(row), row]));
  const byKind = Map.groupBy(named.values(), parseEventResourceKind);
  const accountOfRow = (row: { readonly account_id: number }) => accounts.get(row.account_id) as ResolvedAccount;

  /** Each reader returns pairs of a key and a resource. */
  const readers: Readonly<Record<EventKind, (rows: readonly EventRow[]) => Promise<[string, EventResource][]>>> = {
    async account(events) {
      const found = await findAccountsStatement(db, { ids: events.map((row) => row.account_id) });
      return found.map((row) => [`account,${row.id},,`, { case: "account", value: toAccountMessage(row) }]);
    },
    async phone_number(events) {
      const found = await findPhoneNumbersStatement(database, namesOf(events));
      return found.map((row) => [
        `phone_number,${row.account_id},,${row.id}`,
        { case: "phoneNumber", value: toPhoneNumberMessage(accountOfRow(row), row) },
      ]);
    },
    async pool(events) {
      const found = await findPoolsStatement(database, namesOf(events));
      return found.map((row) => [
        `pool,${row.account_id},,${row.id}`,
        { case: "pool", value: toPoolMessage(accountOfRow(row), row) },
      ]);
    },
    async call_tracker(events) {
      // Concurrent lookups share a statement.
      const found = await Promise.all(
        events.map(async (row): Promise<[string, EventResource][]> => {
          const value = await findCallTracker(db, accountOfRow(row), row.pool_id ?? "", row.resource_id ?? "");
          return value === undefined ? [] : [[formatEventResourceKey(row), { case: "callTracker", value }]];
        }),
      );
      return found.flat();
    },
    async tracking_number(events) {
      const found = await findTrackingNumbersStatement(db, { numbers: events.map((row) => row.number ?? "") });
      return found.map((row) => [
        `tracking_number,0,,${row.phone_number}`,
        { case: "trackingNumber", value: toTrackingNumberMessage(row) },
      ]);
    },
    async phone_system(events) {
      const found = await findPhoneSystemRows(
        db,
        events.map((row) => row.resource_id ?? ""),
      );
      return found.map((row) => [
        `phone_system,0,,${row.id}`,
        { case: "phoneSystem", value: toPhoneSystemMessage(row, phoneSystems) },
      ]);
    },
    call_flow: (events) =>
      Promise.all(
        events.map(async (row): Promise<[string, EventResource]> => {
          const account = accountOfRow(row);
          const flow = await requireCallFlow(db, account, row.pool_id ?? undefined);
          return [formatEventResourceKey(row), { case: "callFlow", value: await describeCallFlow(db, account, flow) }];
        }),
      ),
    source_aliases: (events) =>
      Promise.all(
        events.map(
          async (row): Promise<[string, EventResource]> => [
            formatEventResourceKey(row),
            { case: "sourceAliases", value: await getSourceAliases(db, accountOfRow(row)) },
          ],
        ),
      ),
    // Events never show webhook endpoints: their URLs can be secrets, and reading events does not require the scope `admin`.
    webhook_endpoint: async () => [],
    async call(events) {
      const found = await findCallsStatement(database, namesOf(events));
      return found.map((row) => [
        `call,${row.account_id},,${row.id}`,
        { case: "call", value: toCallMessage(accountOfRow(row).accountToken, row) },
      ]);
    },
  };
  const found = await Promise.all(Array.from(byKind, ([kind, events]) => readers[kind](events)));
  return new Map(found.flat());
}

function namesOf(rows: readonly EventRow[]) {
  return { accountIds: rows.map((row) => row.account_id), ids: rows.map((row) => row.resource_id ?? "") };
}
