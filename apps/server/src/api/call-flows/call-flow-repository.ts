import { fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { DomainError, parseUuid } from "@calltrack/domain";
import { type CallFlowSettings, CallFlowSettingsSchema } from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import type { Executor, ParameterGetter } from "@calltrack/postgres";
import { sql } from "kysely";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { buildAuditCte, UPDATE_CTE_NAMES } from "../../database/audit-cte.js";
import { formatEtag } from "../../database/etag.js";
import { buildEtagConditionSql, type EtagCondition } from "../../database/etag-condition.js";
import { buildEventCte } from "../../database/event-cte.js";
import { NIL_UUID } from "../../database/page.js";
import { prepareLookup, prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { buildNextTimeExpression } from "../../database/update-time.js";

/** The `pool_id` in the row of an account's default call flow. */
export const DEFAULT_CALL_FLOW_POOL_ID = NIL_UUID;

const NIL = sql<string>`${sql.lit(DEFAULT_CALL_FLOW_POOL_ID)}::uuid`;

/** A call flow, with everything else that determines how its calls proceed: the pool, and the settings of the account's default call flow. */
export interface StoredCallFlow {
  /** Undefined for the default call flow of an account. */
  readonly pool: CallFlowPool | undefined;
  readonly settings: CallFlowSettings;
  /** The settings of the account's default call flow. Empty if `pool` is undefined, because then `settings` are the default settings. */
  readonly inherited: CallFlowSettings;
  /** Undefined if the call flow was never set. */
  readonly updatedAt: Date | undefined;
  readonly etag: string;
}

export interface CallFlowPool {
  readonly id: string;
  readonly originalNumber: string;
  readonly isPrompted: boolean;
  readonly isRecorded: boolean;
}

/**
 * Finds the call flow of a pool, or the account's default if `poolId` is undefined. The etag of a call flow that was never set is
 * made from the creation time of its pool or account.
 *
 * @throws DomainError `POOL_NOT_FOUND`
 */
export async function requireCallFlow(
  db: Executor,
  { accountId }: ResolvedAccount,
  poolId: string | undefined,
): Promise<StoredCallFlow> {
  const id = poolId === undefined ? DEFAULT_CALL_FLOW_POOL_ID : parseUuid(poolId);
  const isPool = id !== undefined && (id !== DEFAULT_CALL_FLOW_POOL_ID || poolId === undefined);
  const [row] = isPool ? await findCallFlowStatement(db, { accountId, poolId: id }) : [];
  if (row === undefined) throw new DomainError("POOL_NOT_FOUND", { poolId: poolId ?? "" });
  return {
    pool: poolOf(row),
    settings: parseStoredCallFlowSettings(row.settings),
    inherited: parseStoredCallFlowSettings(row.inherited),
    updatedAt: row.updated_at ?? undefined,
    etag: formatEtag(row.updated_at ?? row.owned_since),
  };
}

function poolOf(row: CallFlowRow): CallFlowPool | undefined {
  if (row.id === null) return undefined;
  const { id, original_number: originalNumber, is_prompted: isPrompted, is_recorded: isRecorded } = row;
  return { id, originalNumber, isPrompted, isRecorded };
}

/** Returns empty settings for null, which means that the call flow was never set. Ignores settings that a newer release has added. */
export function parseStoredCallFlowSettings(settings: JsonObject | null): CallFlowSettings {
  return fromJson(CallFlowSettingsSchema, settings ?? {}, { ignoreUnknownFields: true });
}

/** The columns of a call flow's pool. They are null for the account's default call flow. */
type PoolColumns =
  | {
      readonly id: string;
      readonly original_number: string;
      readonly is_prompted: boolean;
      readonly is_recorded: boolean;
    }
  | { readonly id: null; readonly original_number: null; readonly is_prompted: null; readonly is_recorded: null };

type CallFlowRow = PoolColumns & {
  /** When the pool was created; for a default call flow, when the account was created. */
  readonly owned_since: Date;
  /** Null, like `updated_at`, if the call flow was never set. */
  readonly settings: JsonObject | null;
  readonly updated_at: Date | null;
  readonly inherited: JsonObject | null;
};

/** `poolId` is `DEFAULT_CALL_FLOW_POOL_ID` for the account's default call flow. */
interface FlowKey {
  readonly accountId: number;
  readonly poolId: string;
}

const findCallFlowStatement = prepareLookup<FlowKey, CallFlowRow>(
  { accountId: "integer", poolId: "uuid" },
  (db, parameter) =>
    selectOwner(db, parameter)
      .leftJoin("phone_numbers as original", (join) =>
        join
          .on("original.account_id", "=", parameter("accountId"))
          .onRef("original.id", "=", "pool.original_number_id"),
      )
      .leftJoin("call_flows as flow", (join) =>
        join.on("flow.account_id", "=", parameter("accountId")).on("flow.pool_id", "=", parameter("poolId")),
      )
      .leftJoin("call_flows as default_flow", (join) =>
        join
          .on("default_flow.account_id", "=", parameter("accountId"))
          .on("default_flow.pool_id", "=", NIL)
          .on("pool.id", "is not", null),
      )
      .select(["pool.id", "pool.is_prompted", "pool.is_recorded", "original.phone_number as original_number"])
      .select(["flow.settings", "flow.updated_at", "default_flow.settings as inherited"])
      .$castTo<CallFlowRow>(),
);

/** Selects the account and the pool of a call flow; for `DEFAULT_CALL_FLOW_POOL_ID`, the account alone. */
function selectOwner(db: Pick<QueryBuilder, "selectFrom">, parameter: ParameterGetter<FlowKey>) {
  return db
    .selectFrom("accounts as account")
    .leftJoin("pools as pool", (join) =>
      join.on("pool.account_id", "=", parameter("accountId")).on("pool.id", "=", parameter("poolId")),
    )
    .select(sql<Date>`coalesce(pool.created_at, account.created_at)`.as("owned_since"))
    .where("account.id", "=", parameter("accountId"))
    .where(sql<boolean>`coalesce(pool.id, ${NIL}) = ${parameter("poolId")}`);
}

/**
 * Replaces the settings of a call flow, and advances `updated_at`. Returns undefined if the etag condition fails, or if a concurrent
 * request sets the call flow for the first time.
 */
export async function updateCallFlow(
  db: Executor,
  { accountId }: ResolvedAccount,
  flow: StoredCallFlow,
  settings: CallFlowSettings,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<StoredCallFlow | undefined> {
  const [row] = await updateCallFlowStatement(db, {
    ...{ accountId, poolId: flow.pool?.id ?? DEFAULT_CALL_FLOW_POOL_ID },
    settings: JSON.stringify(toJson(CallFlowSettingsSchema, settings, { useProtoFieldName: true })),
    ...condition,
    origin: JSON.stringify(origin),
  });
  return row && { ...flow, settings, updatedAt: row.updated_at, etag: formatEtag(row.updated_at) };
}

const AUDITED_COLUMNS = ["settings", "updated_at"] as const;

const updateCallFlowStatement = prepareStatement<
  FlowKey & EtagCondition & { settings: string; origin: string },
  { updated_at: Date }
>((db, parameter) =>
  db
    .with("locked", (cte) =>
      cte
        .selectFrom("call_flows")
        .select(AUDITED_COLUMNS)
        .where("account_id", "=", parameter("accountId"))
        .where("pool_id", "=", parameter("poolId"))
        .forNoKeyUpdate(),
    )
    // `before` has one row: the call flow as the API returns it, even if it was never set.
    .with("before", (cte) =>
      cte
        .selectFrom(selectOwner(cte, parameter).as("owner"))
        .leftJoin("locked", (join) => join.onTrue())
        .select([
          sql<JsonObject>`coalesce(locked.settings, '{}')`.as("settings"),
          sql<Date>`coalesce(locked.updated_at, owner.owned_since)`.as("updated_at"),
        ]),
    )
    .with("updated", (cte) =>
      cte
        .insertInto("call_flows")
        .columns(["account_id", "pool_id", "settings", "created_at", "updated_at"])
        .expression((from) =>
          from
            .selectFrom("before")
            .select([
              sql<number>`${parameter("accountId")}::integer`.as("account_id"),
              sql<string>`${parameter("poolId")}::uuid`.as("pool_id"),
              sql<string>`${parameter("settings")}::jsonb`.as("settings"),
              "before.updated_at as created_at",
              buildNextTimeExpression(sql`now()`, sql`before.updated_at`).as("updated_at"),
            ])
            .where(buildEtagConditionSql(parameter, sql.ref("before.updated_at"))),
        )
        .onConflict((conflict) =>
          conflict
            .columns(["account_id", "pool_id"])
            .doUpdateSet(({ ref }) => ({ settings: ref("excluded.settings"), updated_at: ref("excluded.updated_at") }))
            // If the existing row's time is not that of `before`, a concurrent request inserted the row, and this update must not replace it.
            .whereRef("call_flows.updated_at", "=", "excluded.created_at"),
        )
        .returning(AUDITED_COLUMNS)
        .returning("pool_id")
        .returning(
          sql<string>`case pool_id when ${NIL} then account_id::text else pool_id::text end`.as("resource_id"),
        ),
    )
    .with("audited", () =>
      buildAuditCte({
        ...UPDATE_CTE_NAMES,
        ...{ type: "call_flow", id: "resource_id", columns: AUDITED_COLUMNS },
        accountId: parameter("accountId"),
        origin: parameter("origin"),
      }),
    )
    .with("logged", () => {
      const poolId = sql`nullif(updated.pool_id, ${NIL})`;
      return buildEventCte({
        type: "call_flow.updated",
        accountId: parameter("accountId"),
        poolId,
        from: sql.table("updated"),
      });
    })
    .selectFrom("updated")
    .select("updated_at"),
);
