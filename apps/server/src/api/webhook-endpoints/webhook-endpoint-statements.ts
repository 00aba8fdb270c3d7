import type { EventType } from "@calltrack/domain";
import type { ParameterGetter } from "@calltrack/postgres";
import { type Expression, sql } from "kysely";
import { buildAuditCte, UPDATE_CTE_NAMES } from "../../database/audit-cte.js";
import { type AuditedUpdateOptions, buildAuditedUpdate } from "../../database/audited-update.js";
import { buildEventCte } from "../../database/event-cte.js";
import { prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import { nextUpdateTimeExpression } from "../../database/update-time.js";
import {
  type NewWebhookEndpointRow,
  WEBHOOK_ENDPOINT_COLUMNS,
  type WebhookEndpointKey,
  type WebhookEndpointRow,
  type WebhookEndpointState,
} from "./webhook-endpoint-row.js";

const TYPE = "webhook_endpoint";

/** The audit log contains no secrets, not even encrypted ones. */
const AUDITED_COLUMNS = WEBHOOK_ENDPOINT_COLUMNS.filter((column) => column !== "secrets");

type StoredSettings = Omit<NewWebhookEndpointRow, "id" | "secrets"> & { readonly secrets: string };

/** Returns the parameters for the columns that create and update requests set, keyed by the column name. */
function settingValues(parameter: ParameterGetter<StoredSettings>) {
  return {
    url: parameter("url"),
    description: parameter("description"),
    types: sql<readonly string[]>`${parameter("types")}::text[]`,
    payload: parameter("payload"),
    ordered: parameter("ordered"),
    concurrency: parameter("concurrency"),
    max_age_seconds: parameter("max_age_seconds"),
    secrets: sql<string>`${parameter("secrets")}::jsonb`,
  };
}

export const insertWebhookEndpointStatement = prepareStatement<
  Omit<NewWebhookEndpointRow, "secrets"> & { accountId: number; position: string; secrets: string; origin: string },
  WebhookEndpointRow
>((db, parameter) =>
  db
    .with("inserted", (cte) =>
      cte
        .insertInto("webhook_endpoints")
        .values({
          account_id: parameter("accountId"),
          id: parameter("id"),
          ...settingValues(parameter),
          position: parameter("position"),
        })
        .returning(WEBHOOK_ENDPOINT_COLUMNS),
    )
    .with("audited", () =>
      buildAuditCte({
        ...{ accountId: parameter("accountId"), type: TYPE, columns: AUDITED_COLUMNS },
        ...{ after: "inserted", sharesId: true, origin: parameter("origin") },
      }),
    )
    .with("logged", () => eventOf(parameter("accountId"), "webhook_endpoint.created", "inserted"))
    .selectFrom("inserted")
    .select(WEBHOOK_ENDPOINT_COLUMNS),
);

/** Returns no row if the webhook endpoint has changed since it was read. */
export const updateWebhookEndpointStatement = prepareStatement<
  Omit<WebhookEndpointState, "secrets"> & WebhookEndpointKey & { updatedAt: Date; secrets: string; origin: string },
  WebhookEndpointRow
>((db, parameter) =>
  updateEndpoint(db, parameter, {
    condition: sql<boolean>`updated_at = ${parameter("updatedAt")}`,
    set: {
      ...settingValues(parameter),
      is_active: parameter("is_active"),
      inactive_reason: parameter("inactive_reason"),
      // `is_active` and `url` are the values before the update: an endpoint that becomes active or gets another URL starts without earlier failures.
      failing_since: sql`case when is_active and url = ${parameter("url")} then failing_since end`,
      retry_after: sql`case when is_active and url = ${parameter("url")} then retry_after end`,
      due_at: sql`now()`,
      updated_at: nextUpdateTimeExpression,
    },
    columns: AUDITED_COLUMNS,
  })
    .selectFrom("updated")
    .select(WEBHOOK_ENDPOINT_COLUMNS),
);

/** Returns no row if the webhook endpoint is not active. */
export const rewindWebhookEndpointStatement = prepareStatement<
  WebhookEndpointKey & { position: string; origin: string },
  WebhookEndpointRow
>((db, parameter) =>
  updateEndpoint(db, parameter, {
    condition: sql<boolean>`is_active`,
    set: {
      position: sql`least(position, ${parameter("position")}::bigint)`,
      due_at: sql`now()`,
      updated_at: nextUpdateTimeExpression,
    },
    columns: [...AUDITED_COLUMNS, "position"],
  })
    .selectFrom("updated")
    .select(WEBHOOK_ENDPOINT_COLUMNS),
);

type EndpointUpdate = Pick<AuditedUpdateOptions<"webhook_endpoints", never, unknown>, "condition" | "set" | "columns">;

function updateEndpoint(
  db: QueryBuilder,
  parameter: ParameterGetter<WebhookEndpointKey & { origin: string }>,
  update: EndpointUpdate,
) {
  const accountId = parameter("accountId");
  return buildAuditedUpdate(db, "webhook_endpoints", {
    ...{ accountId, type: TYPE, origin: parameter("origin") },
    key: { account_id: accountId, id: parameter("id") },
    returning: [...WEBHOOK_ENDPOINT_COLUMNS, "position"],
    event: { type: "webhook_endpoint.updated", resourceId: sql.ref("updated.id") },
    ...update,
  });
}

export const deleteWebhookEndpointStatement = prepareStatement<WebhookEndpointKey & { origin: string }, { id: string }>(
  (db, parameter) =>
    db
      .with(UPDATE_CTE_NAMES.before, (cte) =>
        cte
          .deleteFrom("webhook_endpoints")
          .where("account_id", "=", parameter("accountId"))
          .where("id", "=", parameter("id"))
          .returning(WEBHOOK_ENDPOINT_COLUMNS),
      )
      .with("audited", () =>
        buildAuditCte({
          ...{ accountId: parameter("accountId"), type: TYPE, columns: AUDITED_COLUMNS },
          ...{ before: UPDATE_CTE_NAMES.before, origin: parameter("origin") },
        }),
      )
      .with("logged", () => eventOf(parameter("accountId"), "webhook_endpoint.deleted", UPDATE_CTE_NAMES.before))
      .selectFrom("before")
      .select("id"),
);

function eventOf(accountId: Expression<number>, type: EventType, cte: string) {
  return buildEventCte({ type, accountId, resourceId: sql.ref(`${cte}.id`), from: sql.table(cte) });
}
