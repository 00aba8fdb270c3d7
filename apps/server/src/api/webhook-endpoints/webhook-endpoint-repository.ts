import { DomainError, parseUuid } from "@calltrack/domain";
import type { WebhookEndpoint } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { ABSENT_ACCOUNT_ID } from "../../database/idempotency/idempotency-key.js";
import { createPagedListById, NIL_UUID, type PageBounds } from "../../database/page.js";
import { prepareList, prepareStatement } from "../../database/prepared-statement.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import {
  type NewWebhookEndpointRow,
  WEBHOOK_ENDPOINT_COLUMN_TYPES,
  WEBHOOK_ENDPOINT_COLUMNS,
  type WebhookEndpointKey,
  type WebhookEndpointRow,
  type WebhookEndpointState,
} from "./webhook-endpoint-row.js";
import {
  deleteWebhookEndpointStatement,
  insertWebhookEndpointStatement,
  rewindWebhookEndpointStatement,
  updateWebhookEndpointStatement,
} from "./webhook-endpoint-statements.js";

/** The webhook endpoints of one account, or those of the operator, which belong to no account. */
export const WEBHOOK_ENDPOINT_PAGED_LIST = createPagedListById<WebhookEndpoint>("webhook_endpoints");

const MAX_OF_ACCOUNT = 20;

const MAX_OF_OPERATOR = 100;

/** Generates the id before the webhook endpoint is inserted, because its secrets are encrypted with the id as context. */
export async function generateWebhookEndpointId(db: Executor): Promise<string> {
  const [row] = await drawIdStatement(db, {});
  return (row as { readonly id: string }).id;
}

const drawIdStatement = prepareStatement<object, { id: string }>((db) =>
  db.selectNoFrom(sql<string>`uuid_v7()`.as("id")),
);

/**
 * Inserts a webhook endpoint, which gets the events after a position. Concurrent requests can exceed the endpoint limit by one each.
 *
 * @throws DomainError `WEBHOOK_ENDPOINT_LIMIT_REACHED`
 */
export async function insertWebhookEndpoint(
  db: Executor,
  accountId: number,
  row: NewWebhookEndpointRow,
  position: bigint,
  origin: ChangeOrigin,
): Promise<WebhookEndpointRow> {
  const limit = accountId === ABSENT_ACCOUNT_ID ? MAX_OF_OPERATOR : MAX_OF_ACCOUNT;
  const [counted] = await countStatement(db, { accountId });
  if ((counted?.count ?? 0) >= limit) throw new DomainError("WEBHOOK_ENDPOINT_LIMIT_REACHED", { limit });
  const [inserted] = await insertWebhookEndpointStatement(db, {
    ...row,
    accountId,
    position: String(position),
    secrets: JSON.stringify(row.secrets),
    origin: JSON.stringify(origin),
  });
  return inserted as WebhookEndpointRow;
}

const countStatement = prepareStatement<{ accountId: number }, { count: number }>((db, parameter) =>
  db
    .selectFrom("webhook_endpoints")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("account_id", "=", parameter("accountId")),
);

/** Finds a webhook endpoint by its id. Throws DomainError `WEBHOOK_ENDPOINT_NOT_FOUND`. */
export async function requireWebhookEndpoint(
  db: Executor,
  accountId: number,
  webhookEndpointId: string,
): Promise<WebhookEndpointRow> {
  const id = parseUuid(webhookEndpointId);
  const [row] = id === undefined ? [] : await findStatement(db, { accountId, id });
  if (row === undefined) throw new DomainError("WEBHOOK_ENDPOINT_NOT_FOUND", { webhookEndpointId });
  return row;
}

/** Finds an active webhook endpoint. Throws DomainError `WEBHOOK_ENDPOINT_NOT_FOUND` or `WEBHOOK_ENDPOINT_INACTIVE`. */
export async function requireActiveWebhookEndpoint(
  db: Executor,
  accountId: number,
  webhookEndpointId: string,
): Promise<WebhookEndpointRow> {
  const row = await requireWebhookEndpoint(db, accountId, webhookEndpointId);
  if (!row.is_active) throw new DomainError("WEBHOOK_ENDPOINT_INACTIVE", { webhookEndpointId });
  return row;
}

const findStatement = prepareStatement<WebhookEndpointKey, WebhookEndpointRow>((db, parameter) =>
  db
    .selectFrom("webhook_endpoints")
    .select(WEBHOOK_ENDPOINT_COLUMNS)
    .where("account_id", "=", parameter("accountId"))
    .where("id", "=", parameter("id")),
);

/** Lists webhook endpoints in the order of their creation, after the one with the id `after`. */
export function listWebhookEndpoints(
  db: Executor,
  accountId: number,
  { after = NIL_UUID, limit }: PageBounds,
): Promise<WebhookEndpointRow[]> {
  return listStatement(db, { accountId, after, limit });
}

const listStatement = prepareList<{ accountId: number; after: string; limit: number }, WebhookEndpointRow>(
  WEBHOOK_ENDPOINT_COLUMN_TYPES,
  (db, parameter) =>
    db
      .selectFrom("webhook_endpoints")
      .select(WEBHOOK_ENDPOINT_COLUMNS)
      .where("account_id", "=", parameter("accountId"))
      .where("id", ">", parameter("after"))
      .orderBy("id")
      .limit(sql<number>`${parameter("limit")}`),
);

/**
 * Updates a webhook endpoint. If a concurrent update was first, reads the endpoint again and repeats the change.
 *
 * @param change returns the new state, or throws an error if the change is not allowed.
 * @throws DomainError `WEBHOOK_ENDPOINT_NOT_FOUND`, and any error of `change`
 */
export async function updateWebhookEndpoint(
  db: Executor,
  accountId: number,
  webhookEndpointId: string,
  origin: ChangeOrigin,
  change: (before: WebhookEndpointRow) => WebhookEndpointState,
): Promise<WebhookEndpointRow> {
  for (;;) {
    const before = await requireWebhookEndpoint(db, accountId, webhookEndpointId);
    const state = change(before);
    const [row] = await updateWebhookEndpointStatement(db, {
      ...state,
      ...{ accountId, id: before.id, updatedAt: before.updated_at },
      secrets: JSON.stringify(state.secrets),
      origin: JSON.stringify(origin),
    });
    if (row !== undefined) return row;
  }
}

/** Deletes a webhook endpoint. A background job deletes its deliveries afterwards. Throws DomainError `WEBHOOK_ENDPOINT_NOT_FOUND`. */
export async function deleteWebhookEndpoint(
  db: Executor,
  accountId: number,
  webhookEndpointId: string,
  origin: ChangeOrigin,
): Promise<void> {
  const id = parseUuid(webhookEndpointId);
  const deleted =
    id === undefined ? [] : await deleteWebhookEndpointStatement(db, { accountId, id, origin: JSON.stringify(origin) });
  if (deleted.length === 0) throw new DomainError("WEBHOOK_ENDPOINT_NOT_FOUND", { webhookEndpointId });
}

/**
 * Moves the position of an active webhook endpoint back in the event log, so that the endpoint gets all events after that position again.
 *
 * @throws DomainError `WEBHOOK_ENDPOINT_NOT_FOUND` or `WEBHOOK_ENDPOINT_INACTIVE`
 */
export async function rewindWebhookEndpoint(
  db: Executor,
  accountId: number,
  webhookEndpointId: string,
  position: bigint,
  origin: ChangeOrigin,
): Promise<WebhookEndpointRow> {
  const { id } = await requireActiveWebhookEndpoint(db, accountId, webhookEndpointId);
  const [row] = await rewindWebhookEndpointStatement(db, {
    ...{ accountId, id, position: String(position) },
    origin: JSON.stringify(origin),
  });
  return row ?? requireActiveWebhookEndpoint(db, accountId, webhookEndpointId);
}
