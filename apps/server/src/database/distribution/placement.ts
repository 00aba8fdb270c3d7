import type { Schema } from "../tables/schema.js";

/**
 * Where the rows of a table are kept:
 * - by account: each on the worker that has its account, all tables of an account side by side;
 * - on one worker: all together, so that a key of all of them is one, and side by side with other such tables;
 * - everywhere: all on every server, for tables that are read more often than written;
 * - on the coordinator: as the table was made.
 */
export type Placement = "by account" | "on one worker" | "everywhere" | "on the coordinator";

/** The placement of each table, in an order in which they can be placed. */
export const PLACEMENTS = {
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
  visit_days: "by account",
  visit_counts: "by account",
  visit_events: "by account",
  idempotency_keys: "by account",
  audit_entries: "by account",
  api_keys: "on the coordinator",
} as const satisfies Readonly<Record<keyof Schema, Placement>>;

/** The column of a table that is placed by account that names the account. */
export function accountColumnOf(table: keyof Schema): string {
  return table === "accounts" ? "id" : "account_id";
}
