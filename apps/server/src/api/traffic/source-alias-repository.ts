import type { SourceAliases } from "@calltrack/domain";
import type { SourceAliases as SourceAliasesMessage } from "@calltrack/domain/gen/calltracking/v1/traffic_pb";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { buildAuditedUpdate } from "../../database/audited-update.js";
import { formatEtag } from "../../database/etag.js";
import { buildEtagConditionSql, type EtagCondition } from "../../database/etag-condition.js";
import { prepareLookup, prepareStatement } from "../../database/prepared-statement.js";
import type { ChangeOrigin, StoredSourceAlias } from "../../database/tables/schema.js";
import { toTimestamp } from "../../database/timestamp.js";
import { buildNextTimeExpression } from "../../database/update-time.js";

interface AliasRow {
  readonly source_aliases: readonly StoredSourceAlias[];
  readonly source_aliases_updated_at: Date | null;
  readonly created_at: Date;
}

/** The time of the last change to the aliases; the creation time of the account if they were never set. */
const CHANGED_AT = sql<Date>`coalesce(source_aliases_updated_at, created_at)`;

const COLUMNS = ["source_aliases", "source_aliases_updated_at"] as const;

const findStatement = prepareLookup<{ accountId: number }, AliasRow>({ accountId: "integer" }, (db, parameter) =>
  db
    .selectFrom("accounts")
    .select([...COLUMNS, "created_at"])
    .where("id", "=", parameter("accountId")),
);

/** Returns the aliases of an account, keyed by the source names that visits report. The map is empty if there are none. */
export async function findSourceAliases(db: Executor, accountId: number): Promise<SourceAliases> {
  const [row] = await findStatement(db, { accountId });
  return new Map(row?.source_aliases.map(({ name, source, medium }) => [name, { source, medium }]));
}

export async function getSourceAliases(db: Executor, account: ResolvedAccount): Promise<SourceAliasesMessage> {
  const [row] = await findStatement(db, account);
  // Accounts are never deleted, so the row exists.
  return messageOf(account, row as AliasRow);
}

/** Replaces the aliases of an account. Returns undefined if the etag condition fails. */
export async function updateSourceAliases(
  db: Executor,
  account: ResolvedAccount,
  aliases: SourceAliases,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<SourceAliasesMessage | undefined> {
  const [row] = await updateStatement(db, {
    accountId: account.accountId,
    aliases: JSON.stringify(Array.from(aliases, ([name, target]): StoredSourceAlias => ({ name, ...target }))),
    ...condition,
    origin: JSON.stringify(origin),
  });
  return row && messageOf(account, row);
}

const updateStatement = prepareStatement<
  EtagCondition & { accountId: number; aliases: string; origin: string },
  AliasRow
>((db, parameter) =>
  buildAuditedUpdate(db, "accounts", {
    ...{ type: "source_aliases", columns: COLUMNS },
    key: { id: parameter("accountId") },
    condition: buildEtagConditionSql(parameter, CHANGED_AT),
    set: {
      source_aliases: sql`${parameter("aliases")}::jsonb`,
      source_aliases_updated_at: buildNextTimeExpression(sql`now()`, CHANGED_AT),
    },
    returning: ["id", ...COLUMNS, "created_at"],
    event: { type: "source_aliases.updated" },
    accountId: parameter("accountId"),
    origin: parameter("origin"),
  })
    .selectFrom("updated")
    .select([...COLUMNS, "created_at"])
    .$castTo<AliasRow>(),
);

function messageOf({ accountToken }: ResolvedAccount, row: AliasRow): SourceAliasesMessage {
  const updatedAt = row.source_aliases_updated_at;
  return {
    $typeName: "calltracking.v1.SourceAliases",
    accountToken,
    aliases: row.source_aliases.map((alias) => ({ $typeName: "calltracking.v1.SourceAlias", ...alias })),
    ...(updatedAt !== null && { updatedAt: toTimestamp(updatedAt) }),
    etag: formatEtag(updatedAt ?? row.created_at),
  };
}
