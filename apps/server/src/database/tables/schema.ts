import type { AccountHandleTable, AccountTable } from "./account-table.js";
import type { ApiKeyTable } from "./api-key-table.js";
import type { AuditEntryTable } from "./audit-table.js";
import type { CallTable } from "./call-table.js";
import type { CallTrackerChangeTable, CallTrackerTable, PoolPassTable } from "./call-tracker-table.js";
import type { ClockTable } from "./clock-table.js";
import type { IdempotencyKeyTable } from "./idempotency-key-table.js";
import type { PhoneNumberTable } from "./phone-number-table.js";
import type { PoolTable } from "./pool-table.js";
import type { SettingsTable } from "./settings-table.js";
import type { TrackingNumberHolderTable, TrackingNumberTable } from "./tracking-number-table.js";
import type { VisitCountTable, VisitDayTable, VisitEventTable } from "./visit-table.js";

/** The tables of the database, as the newest migration leaves them. */
export interface Schema {
  readonly accounts: AccountTable;
  readonly account_handles: AccountHandleTable;
  readonly phone_numbers: PhoneNumberTable;
  readonly pools: PoolTable;
  readonly pool_passes: PoolPassTable;
  readonly call_trackers: CallTrackerTable;
  readonly call_tracker_changes: CallTrackerChangeTable;
  readonly tracking_numbers: TrackingNumberTable;
  readonly tracking_number_holders: TrackingNumberHolderTable;
  readonly calls: CallTable;
  readonly visit_days: VisitDayTable;
  readonly visit_counts: VisitCountTable;
  readonly visit_events: VisitEventTable;
  readonly clock: ClockTable;
  readonly settings: SettingsTable;
  readonly api_keys: ApiKeyTable;
  readonly idempotency_keys: IdempotencyKeyTable;
  readonly audit_entries: AuditEntryTable;
}
