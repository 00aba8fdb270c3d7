import { DomainError, type NumberRetirement } from "@calltrack/domain";
import type { TrackingNumber } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { clockNowExpression } from "../../clock/clock.js";
import { buildCallTrackerEventFacts, buildEventCte } from "../../database/event-cte.js";
import { prepareStatement } from "../../database/prepared-statement.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import type { NumberHolder } from "../calls/number-holders.js";
import { parseLastHolder } from "../calls/tracked-number.js";
import { toTrackingNumberMessage } from "./tracking-number-repository.js";
import {
  findTrackingNumberStatement,
  retireTrackingNumberStatement,
  type TrackingNumberRow,
} from "./tracking-number-statements.js";

/** Locks a pool, so that no pass adds or deletes call trackers in it until the transaction ends. */
const lockPoolStatement = prepareStatement<Omit<NumberHolder, "callTrackerId">, { id: string }>((db, parameter) =>
  db
    .selectFrom("pools")
    .select("id")
    .where("account_id", "=", parameter("accountId"))
    .where("id", "=", parameter("poolId"))
    .forNoKeyUpdate(),
);

/** Marks a call tracker as retiring, adds an entry to the tracker's history, and makes the pool due for a pass. */
const markRetiringStatement = prepareStatement<
  NumberHolder & { retirement: "gradual" | "immediate"; reason: string },
  { pool_id: string }
>((db, parameter) =>
  db
    .with("marked", (cte) =>
      cte
        .updateTable("call_trackers")
        .set({ retirement: parameter("retirement") })
        .where("account_id", "=", parameter("accountId"))
        .where("pool_id", "=", parameter("poolId"))
        .where("id", "=", parameter("callTrackerId"))
        .returning(["account_id", "pool_id", "id", "tracking_number", "source", "medium"]),
    )
    .with("changes", (cte) =>
      cte
        .insertInto("call_tracker_changes")
        .columns(["account_id", "pool_id", "call_tracker_id", "tracking_number", "source", "medium", "kind", "reason"])
        .expression((from) =>
          from
            .selectFrom("marked")
            .select(["account_id", "pool_id", "id", "tracking_number", "source", "medium"])
            .select([
              sql.lit<"retiring">("retiring").as("kind"),
              sql<string>`${parameter("reason")}::text`.as("reason"),
            ]),
        )
        .returning(["pool_id", "call_tracker_id", "tracking_number", "source", "medium", "reason"]),
    )
    .with("logged", () =>
      buildEventCte({
        ...{ type: "call_tracker.retiring", accountId: parameter("accountId"), from: sql.table("changes") },
        ...{ poolId: sql.ref("changes.pool_id"), resourceId: sql.ref("changes.call_tracker_id") },
        facts: buildCallTrackerEventFacts("changes", sql.ref("changes.reason")),
      }),
    )
    .updateTable("pool_passes as pass")
    .from("marked")
    .set({ due_at: clockNowExpression })
    .where("pass.account_id", "=", parameter("accountId"))
    .whereRef("pass.pool_id", "=", "marked.pool_id")
    .returning("pass.pool_id"),
);

/**
 * Retires a number: at once if it has no holder, otherwise when a pass deletes its call tracker. A request that is less urgent than an
 * earlier request changes nothing.
 *
 * @throws DomainError `TRACKING_NUMBER_NOT_FOUND`
 */
export async function retireTrackingNumber(
  db: Executor,
  { phoneNumber, immediately }: NumberRetirement,
  origin: ChangeOrigin,
): Promise<TrackingNumber> {
  const retirement = { phoneNumber, immediately, origin: JSON.stringify(origin) };
  for (;;) {
    const [found] = await findTrackingNumberStatement(db, { phoneNumber });
    if (found === undefined) throw new DomainError("TRACKING_NUMBER_NOT_FOUND", { trackingNumber: phoneNumber });
    if (isDone(found, immediately)) return toTrackingNumberMessage(found);
    // A check constraint ensures that a number in these states has a holder.
    const isHeld = found.state === "assigned" || found.state === "retiring";
    const holder = isHeld ? parseLastHolder(found) : undefined;
    const [retired] =
      holder === undefined
        ? await retireTrackingNumberStatement(db, { ...retirement, callTracker: null })
        : await retireHeld(db, holder, retirement);
    if (retired !== undefined) return toTrackingNumberMessage(retired);
    // Retries, because a pass has assigned or released the number since the lookup.
  }
}

function isDone({ state, retires_immediately }: TrackingNumberRow, immediately: boolean): boolean {
  return state === "retired" || (state === "retiring" && (retires_immediately || !immediately));
}

/** Locks the pool before the number, as passes do, to avoid deadlocks. */
function retireHeld(
  db: Executor,
  holder: NumberHolder,
  retirement: { readonly phoneNumber: string; readonly immediately: boolean; readonly origin: string },
): Promise<TrackingNumberRow[]> {
  const { immediately } = retirement;
  return db.transaction(async (transaction) => {
    await lockPoolStatement(transaction, holder);
    const retired = await retireTrackingNumberStatement(transaction, {
      ...retirement,
      callTracker: holder.callTrackerId,
    });
    if (retired.length > 0) {
      await markRetiringStatement(transaction, {
        ...holder,
        retirement: immediately ? "immediate" : "gradual",
        reason: immediately ? "its number was retired immediately" : "its number was retired",
      });
    }
    return retired;
  });
}
