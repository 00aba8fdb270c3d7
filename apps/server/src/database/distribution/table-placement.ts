import type { Schema } from "../tables/schema.js";

/**
 * Where Citus stores the rows of a table:
 * - by account: all rows of an account are on the same worker;
 * - on one worker: the rows of all tables with this placement are on the same worker, so that a key can be unique across accounts;
 * - everywhere: every server has a copy, for tables that are read more often than written;
 * - on the coordinator: the table is not distributed.
 */
export type TablePlacement = "by account" | "on one worker" | "everywhere" | "on the coordinator";

/** The placement of each table, in the order in which Citus can distribute the tables: referenced tables come first. */
export const TABLE_PLACEMENTS = {
  clock: "everywhere",
  settings: "everywhere",
  account_handles: "everywhere",
  tracking_numbers: "on one worker",
  tracking_number_holders: "on one worker",
  accounts: "by account",
  phone_numbers: "by account",
  pools: "by account",
  pool_passes: "by account",
  call_trackers: "by account",
  call_tracker_changes: "by account",
  calls: "by account",
  call_flows: "by account",
  visit_days: "by account",
  visit_counts: "by account",
  visit_events: "by account",
  idempotency_keys: "by account",
  audit_entries: "by account",
  events: "by account",
  webhook_endpoints: "by account",
  webhook_deliveries: "by account",
  api_keys: "on the coordinator",
  phone_systems: "on the coordinator",
} as const satisfies Readonly<Record<keyof Schema, TablePlacement>>;

/** Returns the name of the column with the account id. The placement of the table must be `by account`. */
export function getAccountIdColumn(table: keyof Schema): string {
  return table === "accounts" ? "id" : "account_id";
}
