import type { EventType } from "@calltrack/domain";
import type { Event } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { accountOf } from "../accounts/account-repository.js";
import { requireCallFlow } from "../call-flows/call-flow-repository.js";
import { describeCallFlow } from "../call-flows/describe-call-flow.js";
import { findCallTracker } from "../call-trackers/call-tracker-repository.js";
import { callOf } from "../calls/call-row.js";
import { trackingNumberOf } from "../inventory/tracking-number-repository.js";
import { phoneNumberOf } from "../phone-numbers/phone-number-repository.js";
import { findPhoneSystemRows } from "../phone-systems/phone-system-repository.js";
import { type PhoneSystemContext, phoneSystemOf } from "../phone-systems/phone-system-view.js";
import { poolOf } from "../pools/pool-repository.js";
import { getSourceAliases } from "../traffic/source-alias-repository.js";
import type { EventRow } from "./event-repository.js";
import {
  findAccountsStatement,
  findCallsStatement,
  findPhoneNumbersStatement,
  findPoolsStatement,
  findTrackingNumbersStatement,
} from "./event-resource-statements.js";

/** The kind of an event's resource: the part of the event's type before the dot. */
type EventKind = EventType extends `${infer K}.${string}` ? K : never;

type EventResource = Event["resource"];

export function resourceKindOf({ type }: Pick<EventRow, "type">): EventKind {
  return type.slice(0, type.indexOf(".")) as EventKind;
}

/** Returns a key that identifies the resource of an event. */
export function resourceKeyOf(
  row: Pick<EventRow, "account_id" | "type" | "pool_id" | "resource_id" | "number">,
): string {
  return [resourceKindOf(row), row.account_id, row.pool_id ?? "", row.resource_id ?? row.number ?? ""].join();
}

/** Returns the resources of events by their keys, read with few statements for each kind. Leaves out deleted resources. */
export async function findEventResources(
  db: Executor,
  rows: readonly EventRow[],
  accounts: ReadonlyMap<number, ResolvedAccount>,
  phoneSystems: PhoneSystemContext,
): Promise<ReadonlyMap<string, EventResource>> {
  // If several events have the same resource, it is read once.
  const named = new Map(rows.map((row) => [resourceKeyOf(row), row]));
  const byKind = Map.groupBy(named.values(), resourceKindOf);
  const accountOfRow = (row: { readonly account_id: number }) => accounts.get(row.account_id) as ResolvedAccount;

  /** Readers of the resources of each kind, with their keys. */
  const readers: Readonly<Record<EventKind, (rows: readonly EventRow[]) => Promise<[string, EventResource][]>>> = {
    async account(events) {
      const found = await findAccountsStatement(db, { ids: events.map((row) => row.account_id) });
      return found.map((row) => [`account,${row.id},,`, { case: "account", value: accountOf(row) }]);
    },
    async phone_number(events) {
      const found = await findPhoneNumbersStatement(db, namesOf(events));
      return found.map((row) => [
        `phone_number,${row.account_id},,${row.id}`,
        { case: "phoneNumber", value: phoneNumberOf(accountOfRow(row), row) },
      ]);
    },
    async pool(events) {
      const found = await findPoolsStatement(db, namesOf(events));
      return found.map((row) => [
        `pool,${row.account_id},,${row.id}`,
        { case: "pool", value: poolOf(accountOfRow(row), row) },
      ]);
    },
    async call_tracker(events) {
      // Concurrent lookups share a statement.
      const found = await Promise.all(
        events.map(async (row): Promise<[string, EventResource][]> => {
          const value = await findCallTracker(db, accountOfRow(row), row.pool_id ?? "", row.resource_id ?? "");
          return value === undefined ? [] : [[resourceKeyOf(row), { case: "callTracker", value }]];
        }),
      );
      return found.flat();
    },
    async tracking_number(events) {
      const found = await findTrackingNumbersStatement(db, { numbers: events.map((row) => row.number ?? "") });
      return found.map((row) => [
        `tracking_number,0,,${row.phone_number}`,
        { case: "trackingNumber", value: trackingNumberOf(row) },
      ]);
    },
    async phone_system(events) {
      const found = await findPhoneSystemRows(
        db,
        events.map((row) => row.resource_id ?? ""),
      );
      return found.map((row) => [
        `phone_system,0,,${row.id}`,
        { case: "phoneSystem", value: phoneSystemOf(row, phoneSystems) },
      ]);
    },
    call_flow: (events) =>
      Promise.all(
        events.map(async (row): Promise<[string, EventResource]> => {
          const account = accountOfRow(row);
          const flow = await requireCallFlow(db, account, row.pool_id ?? undefined);
          return [resourceKeyOf(row), { case: "callFlow", value: await describeCallFlow(db, account, flow) }];
        }),
      ),
    source_aliases: (events) =>
      Promise.all(
        events.map(
          async (row): Promise<[string, EventResource]> => [
            resourceKeyOf(row),
            { case: "sourceAliases", value: await getSourceAliases(db, accountOfRow(row)) },
          ],
        ),
      ),
    // Events never show webhook endpoints: their URLs can be secrets, and reading events does not require the scope `admin`.
    webhook_endpoint: async () => [],
    async call(events) {
      const found = await findCallsStatement(db, namesOf(events));
      return found.map((row) => [
        `call,${row.account_id},,${row.id}`,
        { case: "call", value: callOf(accountOfRow(row).accountToken, row) },
      ]);
    },
  };
  const found = await Promise.all(Array.from(byKind, ([kind, events]) => readers[kind](events)));
  return new Map(found.flat());
}

function namesOf(rows: readonly EventRow[]) {
  return { accountIds: rows.map((row) => row.account_id), ids: rows.map((row) => row.resource_id ?? "") };
}
