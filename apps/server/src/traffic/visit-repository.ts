import type { RankedSource } from "@calltrack/domain";
import { sql } from "kysely";
import type { Executor } from "../storage/prepared-statement.js";
export async function rankSources(
  db: Executor,
  {
    accountId,
    propertyToken,
    windowDays,
  }: { accountId: number; propertyToken: string; windowDays: number; threshold: number; most: number },
): Promise<RankedSource[]> {
  const { rows } = await sql<{
    source: string;
    medium: string;
    visits: string;
  }>`select source, medium, sum(visits)::text as visits from visit_counts where account_id = ${accountId} and property_token = ${propertyToken} and day > (clock_now() at time zone 'utc')::date - ${windowDays}::integer group by source, medium`.execute(
    db,
  );
  return rows.map((r) => ({ ...r, visits: Number(r.visits) }));
}
export async function summariseSources(_db: Executor, _: object): Promise<{ sources: number; unattributed: number }> {
  return { sources: 0, unattributed: 0 };
}
export async function deleteExpiredVisits(_db: Executor, _: object): Promise<void> {}
