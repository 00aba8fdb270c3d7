import type { DescMessage } from "@bufbuild/protobuf";
import { AccountSchema } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { ApiKeySchema } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { AuditEntrySchema } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import { CallTrackerSchema } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import { ClockSchema } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import { CallResolutionSchema, ResolvedNumberSchema } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { TrackingNumberCountSchema, TrackingNumberSchema } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { PhoneNumberSchema } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import {
  CallTrackerChangeSchema,
  PoolExplanationSchema,
  PoolPlanSchema,
  PoolSchema,
  SourceExplanationSchema,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Cell, Row } from "./resource-row.js";

/** How a kind of resource is shown. */
export interface ResourceView<Desc extends DescMessage> {
  readonly schema: Desc;
  /** The columns that a table leaves out where the terminal is too narrow, the first one first. */
  readonly expendable: readonly string[];
  /** The columns of a table of several, where they are not simply the fields. */
  readonly columns?: TableColumns;
}

/** What a table shows of a row, by the name of the column. */
export type TableColumns = Readonly<Record<string, (row: Row) => Cell>>;

/** How accounts are shown. */
export const accountView: ResourceView<typeof AccountSchema> = {
  schema: AccountSchema,
  expendable: ["updated_at", "created_at"],
};

/** How phone numbers are shown. */
export const phoneNumberView: ResourceView<typeof PhoneNumberSchema> = {
  schema: PhoneNumberSchema,
  expendable: ["account_token", "updated_at", "created_at", "property_token", "description"],
};

/** How pools are shown. */
export const poolView: ResourceView<typeof PoolSchema> = {
  schema: PoolSchema,
  expendable: [
    ...["account_token", "updated_at", "original_number_id", "created_at", "property_token"],
    ...["is_prompted", "is_recorded", "is_dni", "utilization", "description", "area_code"],
  ],
};

/** How call trackers are shown. Those of a list have the same pool and original number. */
export const callTrackerView: ResourceView<typeof CallTrackerSchema> = {
  schema: CallTrackerSchema,
  expendable: ["created_at", "description", "dropped_at", "id"],
  columns: {
    id: (row) => cellAt(row, "id"),
    number: (row) => cellAt(row, "tracking_number"),
    status: (row) => cellAt(row, "status"),
    source: sourceCell,
    description: (row) => cellAt(row, "description"),
    created_at: (row) => cellAt(row, "created_at"),
    dropped_at: (row) => cellAt(row, "dropped_at"),
  },
};

const changeColumns: TableColumns = {
  at: (row) => cellAt(row, "occurred_at"),
  change: (row) => cellAt(row, "kind"),
  number: (row) => cellAt(row, "tracking_number"),
  source: sourceCell,
  reason: (row) => cellAt(row, "reason"),
};

/** How changes of call trackers are shown that have happened. */
export const pastChangeView: ResourceView<typeof CallTrackerChangeSchema> = {
  schema: CallTrackerChangeSchema,
  expendable: ["reason", "source"],
  columns: changeColumns,
};

/** How changes of call trackers are shown that are planned. */
export const plannedChangeView: ResourceView<typeof CallTrackerChangeSchema> = {
  schema: CallTrackerChangeSchema,
  expendable: ["number", "reason", "anyway"],
  columns: { ...changeColumns, anyway: (row) => (row.happens_anyway === true ? "yes" : "no") },
};

/** How the plan of a pool's update is shown, beside its changes. */
export const poolPlanView: ResourceView<typeof PoolPlanSchema> = { schema: PoolPlanSchema, expendable: [] };

/** How the explanation of a pool is shown, beside its sources. */
export const poolExplanationView: ResourceView<typeof PoolExplanationSchema> = {
  schema: PoolExplanationSchema,
  expendable: [],
};

/** How the sources of a pool are shown. */
export const sourceView: ResourceView<typeof SourceExplanationSchema> = {
  schema: SourceExplanationSchema,
  expendable: ["number", "rank", "status"],
  columns: {
    source: sourceCell,
    visits: (row) => cellAt(row, "visits"),
    rank: (row) => cellAt(row, "rank"),
    number: (row) => cellAt(row, "tracking_number"),
    status: (row) => cellAt(row, "status"),
    reason: (row) => cellAt(row, "reason"),
  },
};

/** How numbers of the inventory are shown. */
export const trackingNumberView: ResourceView<typeof TrackingNumberSchema> = {
  schema: TrackingNumberSchema,
  expendable: ["call_tracker_id", "updated_at", "created_at", "pool_id", "account_id", "rests_until"],
};

/** How counts of the inventory are shown. */
export const trackingNumberCountView: ResourceView<typeof TrackingNumberCountSchema> = {
  schema: TrackingNumberCountSchema,
  expendable: [],
};

/** How the numbers that a page shows are shown. */
export const resolvedNumberView: ResourceView<typeof ResolvedNumberSchema> = {
  schema: ResolvedNumberSchema,
  expendable: ["pool_id"],
};

/** How it is shown where a call goes. */
export const callResolutionView: ResourceView<typeof CallResolutionSchema> = {
  schema: CallResolutionSchema,
  expendable: [],
};

/** How API keys are shown. */
export const apiKeyView: ResourceView<typeof ApiKeySchema> = {
  schema: ApiKeySchema,
  expendable: ["created_at", "description", "last_used_at", "expires_at", "account_token"],
};

/** How changes that somebody made are shown: in a table, what they changed. */
export const auditEntryView: ResourceView<typeof AuditEntrySchema> = {
  schema: AuditEntrySchema,
  expendable: ["method", "changed"],
  columns: {
    at: (row) => cellAt(row, "occurred_at"),
    actor: ({ actor }) => actorCell(actor as Row),
    method: (row) => cellAt(row, "method"),
    resource: (row) => `${row.resource_type} ${row.resource_id}`,
    changed: ({ before, after }) => changesCell(before as Row | null, after as Row),
  },
};

/** How the clock is shown. */
export const clockView: ResourceView<typeof ClockSchema> = { schema: ClockSchema, expendable: [] };

function cellAt(row: Row, name: string): Cell {
  return row[name] ?? null;
}

/** A source with its medium, as reasons name it: `google / cpc`. */
function sourceCell(row: Row): Cell {
  const { source, medium } = row;
  return typeof source === "string" ? `${source} / ${medium ?? "-"}` : null;
}

/** Whoever somebody is, in one word. */
function actorCell({ kind, id, api_key_prefix }: Row): Cell {
  return api_key_prefix ?? id ?? kind ?? null;
}

/** The fields that a change has given another value; that it was made at some time is said elsewhere. Null for something new. */
function changesCell(before: Row | null, after: Row): Cell {
  if (before === null) return null;
  const text = (value: Cell | undefined) => JSON.stringify(value ?? null);
  return Object.keys(after)
    .filter((name) => name !== "updated_at" && text(before[name]) !== text(after[name]))
    .map((name) => `${name} ${text(before[name])} > ${text(after[name])}`)
    .join(", ");
}
