import type { WebhookDeliveryStatus } from "@calltrack/domain";
import type { ParameterGetter } from "@calltrack/postgres";
import { type RawBuilder, type Selectable, sql } from "kysely";
import type { WebhookEndpointKey } from "../api/webhook-endpoints/webhook-endpoint-row.js";
import { buildEventCte } from "../database/event-cte.js";
import { prepareStatement } from "../database/prepared-statement.js";
import type { WebhookEndpointTable } from "../database/tables/schema.js";
import { nextUpdateTimeExpression } from "../database/update-time.js";

/** Deliveries follow the real clock, even if the pool clock is virtual. */
const now = sql<Date>`statement_timestamp()`;

/** The time `ms` milliseconds from now. Adds to a time without a time zone, because a Citus worker can evaluate this sum without the coordinator. */
const inMs = (ms: unknown) =>
  sql<Date>`((${now} at time zone 'UTC') + ${ms}::float8 * interval '1 millisecond') at time zone 'UTC'`;

const SENDER_COLUMNS = [
  "account_id",
  "id",
  "url",
  "types",
  "payload",
  "ordered",
  "concurrency",
  "max_age_seconds",
  "secrets",
  "failing_since",
  "retry_after",
] as const;

/** The position as text, because drivers read a bigint in different ways. */
const POSITION = sql<string>`position::text`.as("position");

export type LeasedEndpoint = Pick<Selectable<WebhookEndpointTable>, (typeof SENDER_COLUMNS)[number] | "position">;

/** The columns of an active endpoint that decide which events it gets. */
export type ActiveEndpoint = Pick<LeasedEndpoint, "account_id" | "id" | "types" | "position">;

const ACTIVE_COLUMNS = ["account_id", "id", "types", POSITION] as const;

/** Lists active endpoints in the order of their accounts and ids. */
export const listActiveEndpointsStatement = prepareStatement<
  { accountId: number; after: string; limit: number },
  ActiveEndpoint
>((db, parameter) =>
  db
    .selectFrom("webhook_endpoints")
    .select(ACTIVE_COLUMNS)
    .where("account_id", ">=", parameter("accountId"))
    .where(sql<boolean>`(account_id, id) > (${parameter("accountId")}, ${parameter("after")}::uuid)`)
    .where("is_active", "=", sql.lit(true))
    .orderBy("account_id")
    .orderBy("id")
    .limit(sql<number>`${parameter("limit")}`),
);

export const findActiveEndpointStatement = prepareStatement<WebhookEndpointKey, ActiveEndpoint>((db, parameter) =>
  db
    .selectFrom("webhook_endpoints")
    .select(ACTIVE_COLUMNS)
    .where("account_id", "=", parameter("accountId"))
    .where("id", "=", parameter("id"))
    .where("is_active", "=", sql.lit(true)),
);

/** Finds active endpoints that are due, and the sender that has leased each of them. */
export const findDueEndpointsStatement = prepareStatement<
  { limit: number },
  ActiveEndpoint & { readonly leased_by: string | null; readonly is_leased: boolean }
>((db, parameter) =>
  db
    .selectFrom("webhook_endpoints")
    .select([...ACTIVE_COLUMNS, "leased_by", sql<boolean>`coalesce(leased_until > ${now}, false)`.as("is_leased")])
    .where("is_active", "=", sql.lit(true))
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(sql<number>`${parameter("limit")}`),
);

/** Leases an active endpoint, or renews the lease. Returns no row if another sender has leased it, or if it is inactive or deleted. */
export const claimEndpointStatement = prepareStatement<
  WebhookEndpointKey & { sender: string; leaseMs: number },
  LeasedEndpoint
>((db, parameter) =>
  db
    .updateTable("webhook_endpoints")
    .set({
      leased_by: parameter("sender"),
      leased_until: inMs(parameter("leaseMs")),
      due_at: inMs(parameter("leaseMs")),
    })
    .where("account_id", "=", parameter("accountId"))
    .where("id", "=", parameter("id"))
    .where("is_active", "=", sql.lit(true))
    .where(sql<boolean>`(leased_by = ${parameter("sender")} or leased_until is null or leased_until <= ${now})`)
    .returning([...SENDER_COLUMNS, POSITION])
    .$castTo<LeasedEndpoint>(),
);

/**
 * Ends a lease. The endpoint is due again at `dueAt`, or only after the next event if `dueAt` is `infinity`. An endpoint that became due during
 * the lease is due at once.
 */
export const releaseEndpointStatement = prepareStatement<
  WebhookEndpointKey & { sender: string; dueAt: Date | "infinity" },
  { id: string }
>((db, parameter) =>
  db
    .updateTable("webhook_endpoints")
    .set({
      leased_by: null,
      leased_until: null,
      due_at: sql<Date>`case when due_at < leased_until then due_at
        else ${parameter("dueAt")}::timestamptz end`,
    })
    .where("account_id", "=", parameter("accountId"))
    .where("id", "=", parameter("id"))
    .where("leased_by", "=", parameter("sender"))
    .returning("id"),
);

export interface NewDelivery {
  /** The position of the event in the log: a bigint, as text. */
  readonly position: string;
  readonly subject: string;
  readonly call_id: string | null;
}

/**
 * Moves the position of a leased endpoint forward, and creates deliveries for its events up to the new position. An event that already has a delivery
 * is delivered again, because the position was moved back. If the endpoint is `ordered`, only the first waiting delivery of a subject is due. Returns
 * no row if the position has changed or the lease is lost. Otherwise, returns the positions of the new deliveries that are due; a single null if
 * none is due.
 */
export const enqueueDeliveriesStatement = prepareStatement<
  WebhookEndpointKey & { sender: string; from: string; until: string; deliveries: string },
  { position: string | null }
>((db, parameter) =>
  db
    .with("moved", (cte) =>
      cte
        .updateTable("webhook_endpoints")
        .set({ position: parameter("until") })
        .where("account_id", "=", parameter("accountId"))
        .where("id", "=", parameter("id"))
        .where("leased_by", "=", parameter("sender"))
        .where("position", "=", parameter("from"))
        .returning(["id", "ordered"]),
    )
    .with("inserted", (cte) =>
      cte
        .insertInto("webhook_deliveries")
        .columns(["account_id", "endpoint_id", "position", "subject", "call_id", "due_at"])
        .expression(
          sql`
            select ${parameter("accountId")}::integer, ${parameter("id")}::uuid, new.position, new.subject, new.call_id,
              case when moved.ordered and (
                row_number() over (partition by new.subject order by new.position) > 1
                or exists (
                  select from webhook_deliveries as earlier
                  where earlier.account_id = ${parameter("accountId")}::integer and earlier.endpoint_id = ${parameter("id")}::uuid
                    and earlier.subject = new.subject and earlier.status = 'waiting' and earlier.position < new.position)
              ) then 'infinity' else ${now} end
            from moved cross join
              json_to_recordset(${parameter("deliveries")}::json) as new (position bigint, subject text, call_id uuid)`,
        )
        .onConflict((conflict) =>
          conflict.columns(["account_id", "endpoint_id", "position"]).doUpdateSet({
            status: sql.lit("waiting"),
            due_at: sql<Date>`excluded.due_at`,
            attempts: sql.lit(0),
            ...{ attempted_at: null, response_status: null, failure: null, response_body: null },
          }),
        )
        .returning(["position", "due_at"]),
    )
    .selectFrom("moved")
    .leftJoin("inserted", (join) => join.on("inserted.due_at", "<", sql<Date>`'infinity'`))
    .select(POSITION)
    .orderBy("inserted.position"),
);

export interface WaitingDelivery {
  readonly position: string;
  readonly attempts: number;
  /** Time until the next attempt, negative if it is overdue; null while an earlier event of the same subject waits. */
  readonly wait_ms: number | null;
}

/** Lists waiting deliveries, earliest first, except those at the given positions. */
export const listWaitingDeliveriesStatement = prepareStatement<
  WebhookEndpointKey & { except: readonly string[]; limit: number },
  WaitingDelivery
>((db, parameter) =>
  db
    .selectFrom("webhook_deliveries")
    .select([
      POSITION,
      "attempts",
      sql<number | null>`case when due_at < 'infinity' then extract(epoch from due_at - ${now})::float8 * 1000 end`.as(
        "wait_ms",
      ),
    ])
    .where("account_id", "=", parameter("accountId"))
    .where("endpoint_id", "=", parameter("id"))
    .where("status", "=", sql.lit("waiting"))
    .where(sql<boolean>`position <> all(${parameter("except")}::bigint[])`)
    .orderBy("due_at")
    .limit(sql<number>`${parameter("limit")}`),
);

export interface DeliveryAttemptResult {
  readonly position: string;
  /** The number of earlier attempts. */
  readonly attempts: number;
  readonly status: WebhookDeliveryStatus;
  /** The wait before the next attempt; null if there is no next attempt. */
  readonly wait_ms: number | null;
  readonly response_status: number | null;
  readonly failure: string | null;
}

/**
 * Stores the results of attempts, and returns the positions of the stored results. Ignores the result of an attempt if a request has reset the
 * delivery since the attempt began: the delivery is then attempted again. If a delivery is no longer attempted, the next event of its subject becomes
 * due, unless a delivery of an earlier event with the same subject waits.
 *
 * A condition on `due_at` selects waiting deliveries. With `status = 'waiting'`, PostgreSQL would use a partial index, which keeps entries of finished
 * deliveries until the table is vacuumed.
 */
export const storeAttemptResultsStatement = prepareStatement<
  WebhookEndpointKey & { results: string },
  { position: string }
>((db, parameter) => {
  const updated = sql<{ position: string }>`(
    update webhook_deliveries as delivery
    set status = result.status, due_at = ${inMs(sql`result.wait_ms`)}, attempts = delivery.attempts + 1, attempted_at = ${now},
      response_status = result.response_status, failure = result.failure, response_body = null
    from json_to_recordset(${parameter("results")}::json)
      as result (position bigint, attempts smallint, status text, wait_ms float8, response_status smallint, failure text)
    where ${ofEndpoint(parameter, "delivery")} and delivery.position = result.position and delivery.due_at is not null
      and delivery.attempts = result.attempts
      and ${isOneOf(sql`select position from json_to_recordset(${parameter("results")}::json) as result (position bigint)`)}
    returning delivery.position, delivery.subject, delivery.status)`;
  const next = sql<{ position: string }>`(
    select held.position
    from updated cross join lateral (
      select position, due_at from webhook_deliveries as held
      where ${ofEndpoint(parameter, "held")} and held.subject = updated.subject and held.status = 'waiting'
        and held.position not in (select position from updated where status <> 'waiting')
      order by position limit 1
    ) as held
    where updated.status <> 'waiting' and held.due_at = 'infinity')`;
  const released = sql<{ position: string }>`(
    update webhook_deliveries as delivery
    set due_at = ${now}
    where ${ofEndpoint(parameter, "delivery")} and ${isOneOf(sql`select position from next`)}
    returning delivery.position)`;
  return db
    .with("updated", () => updated)
    .with("next", () => next)
    .with("released", () => released)
    .selectFrom("updated")
    .select(POSITION);
});

/**
 * Whether the position of `delivery` is among the selected positions. The bounds limit what PostgreSQL reads while the table is small or has no
 * statistics: it then searches all deliveries of the endpoint within the bounds.
 */
function isOneOf(positions: RawBuilder<unknown>) {
  return sql`delivery.position = any(array(${positions}))
    and delivery.position between (select min(position) from (${positions}) as first) and (select max(position) from (${positions}) as last)`;
}

function ofEndpoint(parameter: ParameterGetter<WebhookEndpointKey>, table: string) {
  return sql`${sql.ref(`${table}.account_id`)} = ${parameter("accountId")}::integer
    and ${sql.ref(`${table}.endpoint_id`)} = ${parameter("id")}::uuid`;
}

/**
 * Stores the time since which all requests to an endpoint have failed, and the end of the pause that the receiver requested. Returns no row if the
 * endpoint no longer has the URL of these requests.
 */
export const storeEndpointHealthStatement = prepareStatement<
  WebhookEndpointKey & { url: string; failingSince: Date | null; retryAfter: Date | null },
  Pick<LeasedEndpoint, "failing_since" | "retry_after">
>((db, parameter) =>
  db
    .updateTable("webhook_endpoints")
    .set({
      failing_since: parameter("failingSince"),
      retry_after: sql<Date>`greatest(retry_after, ${parameter("retryAfter")}::timestamptz)`,
    })
    .where("account_id", "=", parameter("accountId"))
    .where("id", "=", parameter("id"))
    .where("url", "=", parameter("url"))
    .returning(["failing_since", "retry_after"])
    .$castTo<Pick<LeasedEndpoint, "failing_since" | "retry_after">>(),
);

/** Disables an active endpoint that has the given URL, and writes the event `webhook_endpoint.disabled`. */
export const disableEndpointStatement = prepareStatement<
  WebhookEndpointKey & { url: string; reason: string },
  { id: string }
>((db, parameter) =>
  db
    .with("updated", (cte) =>
      cte
        .updateTable("webhook_endpoints")
        .set({
          is_active: sql.lit(false),
          inactive_reason: parameter("reason"),
          updated_at: nextUpdateTimeExpression,
        })
        .where("account_id", "=", parameter("accountId"))
        .where("id", "=", parameter("id"))
        .where("url", "=", parameter("url"))
        .where("is_active", "=", sql.lit(true))
        .returning("id"),
    )
    .with("logged", () =>
      buildEventCte({
        type: "webhook_endpoint.disabled",
        accountId: parameter("accountId"),
        resourceId: sql.ref("updated.id"),
        from: sql.table("updated"),
      }),
    )
    .selectFrom("updated")
    .select("id"),
);

/** Locks calls of an account against changes, and returns when they were last changed. */
export const lockCallsStatement = prepareStatement<
  { accountId: number; ids: readonly string[] },
  { id: string; updated_at: Date }
>((db, parameter) =>
  db
    .selectFrom("calls")
    .select(["id", "updated_at"])
    .where("account_id", "=", parameter("accountId"))
    .where("id", "=", sql<string>`any(${parameter("ids")}::uuid[])`)
    .orderBy("id")
    .forShare(),
);

export const storeResponseBodiesStatement = prepareStatement<
  WebhookEndpointKey & { bodies: string },
  { position: string }
>((db, parameter) =>
  db
    .with(
      "updated",
      () =>
        sql<{ position: string }>`(
          update webhook_deliveries as delivery
          set response_body = answer.body
          from json_to_recordset(${parameter("bodies")}::json) as answer (position bigint, body text)
          where ${ofEndpoint(parameter, "delivery")} and delivery.position = answer.position
            and ${isOneOf(sql`select position from json_to_recordset(${parameter("bodies")}::json) as answer (position bigint)`)}
          returning delivery.position)`,
    )
    .selectFrom("updated")
    .select(POSITION),
);
