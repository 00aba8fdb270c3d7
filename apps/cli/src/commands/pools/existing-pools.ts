import { type CreatePoolRequest, type Pool, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";

/** The fields of a create request that a file can provide. */
export type ImportedPoolFields = Partial<Omit<CreatePoolRequest, "$typeName" | "$unknown" | "accountId">>;

/** The pools that an account had before an import. Each one matches at most one row. */
export interface ExistingPools {
  /** Removes one pool that equals the row; returns false if no pool does. */
  take(row: ImportedPoolFields): boolean;
}

/**
 * Collects an account's pools to compare rows with. A row equals a pool if all columns are equal in the form that the service stores: an empty
 * property counts as absent, and a manual pool has no utilization.
 *
 * @param numberIds ids of the account's phone numbers, keyed by the phone number.
 */
export async function collectExistingPools(
  pages: AsyncIterable<readonly Pool[]>,
  numberIds: ReadonlyMap<string, string>,
): Promise<ExistingPools> {
  const left = new Map<string, number>();
  for await (const pools of pages) {
    for (const pool of pools) {
      const key = keyOf(pool, pool.originalNumberId);
      left.set(key, (left.get(key) ?? 0) + 1);
    }
  }
  return { take: (row) => takeOne(left, keyOf(row, numberIds.get(row.originalNumber ?? ""))) };
}

function takeOne(left: Map<string, number>, key: string): boolean {
  const count = left.get(key) ?? 0;
  if (count > 0) left.set(key, count - 1);
  return count > 0;
}

function keyOf(fields: Omit<ImportedPoolFields, "originalNumber">, originalNumberId: string | undefined): string {
  const { areaCode, description, isDni, isPrompted, isRecorded, poolType, propertyToken, size, utilization } = fields;
  return JSON.stringify([
    ...[originalNumberId, areaCode, description, isDni, isPrompted, isRecorded, poolType, size],
    propertyToken === "" ? undefined : propertyToken,
    poolType === PoolType.MANUAL ? undefined : utilization,
  ]);
}
