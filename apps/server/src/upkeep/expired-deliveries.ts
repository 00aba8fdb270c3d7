import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { readEventLogState } from "../api/events/event-repository.js";
import { findPositionBefore } from "../api/events/find-position-before.js";
import { SettledPosition } from "../api/events/settled-position.js";
import { deleteInChunks } from "../database/delete-in-chunks.js";
import { NIL_UUID } from "../database/page.js";
import { prepareStatement } from "../database/prepared-statement.js";

/** Retention of deliveries that are no longer attempted, counted from the times of their events. */
const KEPT_MS = 7 * 24 * 60 * 60_000;

/** Rows deleted per statement. Short statements let other transactions run in between. */
const CHUNK = 1000;

/** A position that is greater than all others. */
const ALL = "9223372036854775807";

/**
 * Deletes the deliveries that are no longer attempted and whose events happened more than seven days ago or have expired. Also deletes all
 * deliveries to deleted endpoints. Keeps waiting deliveries of expired events: the sender ends them, so that the next event of the same
 * resource follows.
 */
export async function deleteFinishedDeliveries(db: Executor): Promise<void> {
  const settled = await new SettledPosition({ db, isDistributed: false }).find();
  const old = await findPositionBefore(db, new Date(Date.now() - KEPT_MS), settled);
  const { lastDeleted } = await readEventLogState(db);
  const finished = String(old > lastDeleted ? old : lastDeleted);
  for (let [accountId, after] = [-1, NIL_UUID]; ; ) {
    const [endpoint] = await findNextEndpointStatement(db, { accountId, after });
    if (endpoint === undefined) return;
    const { account_id, endpoint_id: endpointId, is_deleted } = endpoint;
    const until = is_deleted ? ALL : finished;
    await deleteInChunks(CHUNK, (limit) =>
      deleteStatement(db, { accountId: account_id, endpointId, until, isDeleted: is_deleted, limit }),
    );
    [accountId, after] = [account_id, endpointId];
  }
}

/** Finds the next endpoint that has deliveries, and whether it was deleted. */
const findNextEndpointStatement = prepareStatement<
  { accountId: number; after: string },
  { account_id: number; endpoint_id: string; is_deleted: boolean }
>((db, parameter) =>
  db
    .selectFrom("webhook_deliveries as delivery")
    .select(({ selectFrom }) => {
      const endpoint = selectFrom("webhook_endpoints as endpoint")
        .select("endpoint.id")
        .whereRef("endpoint.account_id", "=", "delivery.account_id")
        .whereRef("endpoint.id", "=", "delivery.endpoint_id");
      return ["delivery.account_id", "delivery.endpoint_id", sql<boolean>`${endpoint} is null`.as("is_deleted")];
    })
    .where("delivery.account_id", ">=", parameter("accountId"))
    .where(
      sql<boolean>`(delivery.account_id, delivery.endpoint_id) > (${parameter("accountId")}, ${parameter("after")}::uuid)`,
    )
    .orderBy("delivery.account_id")
    .orderBy("delivery.endpoint_id")
    .limit(sql.lit(1)),
);

const deleteStatement = prepareStatement<
  { accountId: number; endpointId: string; until: string; isDeleted: boolean; limit: number },
  { position: string }
>((db, parameter) =>
  db
    .with("old", (cte) =>
      cte
        .selectFrom("webhook_deliveries")
        .select("position")
        .where("account_id", "=", parameter("accountId"))
        .where("endpoint_id", "=", parameter("endpointId"))
        .where("position", "<=", sql<string>`${parameter("until")}::bigint`)
        .where(sql<boolean>`(status <> 'waiting' or ${parameter("isDeleted")}::boolean)`)
        .limit(sql<number>`${parameter("limit")}`),
    )
    .deleteFrom("webhook_deliveries as delivery")
    .using("old")
    .where("delivery.account_id", "=", parameter("accountId"))
    .where("delivery.endpoint_id", "=", parameter("endpointId"))
    .whereRef("delivery.position", "=", "old.position")
    .returning("delivery.position"),
);
