import type { WebhookDeliveryStatus as StatusName } from "@calltrack/domain";
import type { Event } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { type WebhookDelivery, WebhookDeliveryStatus } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { type Executor, listColumnNames } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import { buildEventCte } from "../../database/event-cte.js";
import type { PageBounds, PagedList } from "../../database/page.js";
import { prepareList, prepareStatement } from "../../database/prepared-statement.js";
import { createStoredEnum } from "../../database/stored-enum.js";
import type { WebhookDeliveryTable } from "../../database/tables/schema.js";
import { toTimestamp } from "../../database/timestamp.js";
import type { WebhookEndpointKey } from "./webhook-endpoint-row.js";

/** The deliveries of a webhook endpoint, newest first. */
export const WEBHOOK_DELIVERY_PAGED_LIST: PagedList<WebhookDelivery> = {
  name: "webhook_deliveries",
  keyOf: ({ id }) => id,
  isKey: isWebhookDeliveryId,
};

const STATUSES = createStoredEnum(WebhookDeliveryStatus);

const COLUMN_TYPES = {
  position: "text",
  status: "text",
  due_at: "time",
  attempts: "value",
  attempted_at: "time",
  response_status: "value",
  failure: "text",
  response_body: "text",
} as const;

const COLUMNS = listColumnNames(COLUMN_TYPES);

/** `COLUMNS` in the same order, but with null instead of an infinite `due_at`, because a protobuf timestamp cannot be infinite. */
const LISTED_COLUMNS = COLUMNS.map((column) =>
  column === "due_at" ? sql<Date | null>`nullif(due_at, 'infinity')`.as(column) : column,
);

/** `LISTED_COLUMNS` for single rows: `position` is converted to text, because the database drivers return a bigint in different types. */
const SHOWN_COLUMNS = LISTED_COLUMNS.map((column) =>
  column === "position" ? sql<string>`position::text`.as(column) : column,
);

export type WebhookDeliveryRow = Omit<Pick<Selectable<WebhookDeliveryTable>, (typeof COLUMNS)[number]>, "due_at"> & {
  /** Null after the last attempt, and while a delivery of an earlier event with the same subject is still waiting. */
  readonly due_at: Date | null;
};

/** @param event undefined if the event has expired. */
export function toWebhookDeliveryMessage(row: WebhookDeliveryRow, event: Event | undefined): WebhookDelivery {
  return {
    $typeName: "calltracking.v1.WebhookDelivery",
    id: row.position,
    status: STATUSES[row.status],
    event,
    attempts: row.attempts,
    attemptedAt: row.attempted_at === null ? undefined : toTimestamp(row.attempted_at),
    nextAttemptAt: row.due_at === null ? undefined : toTimestamp(row.due_at),
    responseStatus: row.response_status ?? undefined,
    failure: row.failure ?? undefined,
    responseBody: row.response_body ?? undefined,
  };
}

/** Whether a text can be the id of a delivery, which is the position of its event in the event log. */
export function isWebhookDeliveryId(text: string): boolean {
  return /^[1-9]\d{0,17}$/.test(text);
}

/** Greater than every position. */
const AFTER_ALL = "9223372036854775807";

/** Lists the deliveries of a webhook endpoint, newest first, after the one with the id `after`. */
export function listWebhookDeliveries(
  db: Executor,
  key: WebhookEndpointKey,
  status: StatusName | undefined,
  { after = AFTER_ALL, limit }: PageBounds,
): Promise<WebhookDeliveryRow[]> {
  return listStatement(db, { ...key, status: status ?? null, before: after, limit });
}

const listStatement = prepareList<
  WebhookEndpointKey & { status: StatusName | null; before: string; limit: number },
  WebhookDeliveryRow
>(COLUMN_TYPES, (db, parameter) =>
  db
    .selectFrom("webhook_deliveries")
    .select(LISTED_COLUMNS)
    .where("account_id", "=", parameter("accountId"))
    .where("endpoint_id", "=", parameter("id"))
    .where("position", "<", parameter("before"))
    .where(sql<boolean>`coalesce(status = ${parameter("status")}::text, ${parameter("status")}::text is null)`)
    .orderBy("position", "desc")
    .limit(sql<number>`${parameter("limit")}`),
);

/**
 * Resets a delivery, so that it is due at once for a first attempt. A delivery that waits for an earlier event with the same subject keeps waiting.
 * Returns undefined if the endpoint has no such delivery.
 */
export async function resetWebhookDelivery(
  db: Executor,
  key: WebhookEndpointKey,
  position: string,
): Promise<WebhookDeliveryRow | undefined> {
  const [row] = await redeliverStatement(db, { ...key, position });
  return row;
}

const redeliverStatement = prepareStatement<WebhookEndpointKey & { position: string }, WebhookDeliveryRow>(
  (db, parameter) =>
    db
      .with("updated", (cte) =>
        cte
          .updateTable("webhook_deliveries")
          .set({
            ...{ status: sql.lit("waiting"), attempts: sql.lit(0) },
            due_at: sql<Date>`case when due_at = 'infinity' then due_at else now() end`,
            ...{ attempted_at: null, response_status: null, failure: null, response_body: null },
          })
          .where("account_id", "=", parameter("accountId"))
          .where("endpoint_id", "=", parameter("id"))
          .where("position", "=", parameter("position"))
          .returning(["account_id", "endpoint_id", ...COLUMNS]),
      )
      .with("woken", (cte) =>
        cte
          .updateTable("webhook_endpoints")
          .set({ due_at: sql`now()` })
          .where("account_id", "=", parameter("accountId"))
          .where("id", "=", cte.selectFrom("updated").select("endpoint_id"))
          .returning("id"),
      )
      .selectFrom("updated")
      .select(SHOWN_COLUMNS),
);

/** Writes a test event for an active endpoint, and a delivery that is due at once. Returns undefined if the endpoint is inactive. */
export async function insertTestWebhookDelivery(
  db: Executor,
  key: WebhookEndpointKey,
  subject: string,
): Promise<WebhookDeliveryRow | undefined> {
  const [row] = await insertTestStatement(db, { ...key, subject });
  return row;
}

const insertTestStatement = prepareStatement<WebhookEndpointKey & { subject: string }, WebhookDeliveryRow>(
  (db, parameter) =>
    db
      .with("woken", (cte) =>
        cte
          .updateTable("webhook_endpoints")
          .set({ due_at: sql`now()` })
          .where("account_id", "=", parameter("accountId"))
          .where("id", "=", parameter("id"))
          .where("is_active", "=", sql.lit(true))
          .returning("id"),
      )
      .with("logged", () => {
        const resourceId = sql.ref("woken.id");
        const accountId = parameter("accountId");
        return buildEventCte({ type: "webhook_endpoint.test", accountId, resourceId, from: sql.table("woken") });
      })
      .with("inserted", (cte) =>
        cte
          .insertInto("webhook_deliveries")
          .columns(["account_id", "endpoint_id", "position", "subject", "due_at"])
          .expression(
            sql`select ${parameter("accountId")}::integer, ${parameter("id")}::uuid, logged.position, ${parameter("subject")}::text, now()
              from logged`,
          )
          .returning(COLUMNS),
      )
      .selectFrom("inserted")
      .select(SHOWN_COLUMNS),
);
