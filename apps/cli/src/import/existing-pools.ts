import { type CreatePoolRequest, type Pool, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";

/** The part of a request to create a pool that a file gives. */
export type PoolFields = Partial<Omit<CreatePoolRequest, "$typeName" | "$unknown" | "accountId">>;

/** The pools that an account had before an import, each of which stands for one row at most. */
export interface ExistingPools {
  /** Tells whether a pool equal to the row is left, and takes it: the next equal row needs another. */
  take(row: PoolFields): boolean;
}

/**
 * Keeps the pools of an account to compare rows with. A row equals a pool if all that a row can say is the same, as the
 * service would store it: an empty property counts as none, and a manual pool has no utilization. `numberIds` has the ids of
 * the account's phone numbers by number.
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

function keyOf(fields: Omit<PoolFields, "originalNumber">, originalNumberId: string | undefined): string {
  const { areaCode, description, isDni, isPrompted, isRecorded, poolType, propertyToken, size, utilization } = fields;
  return JSON.stringify([
    ...[originalNumberId, areaCode, description, isDni, isPrompted, isRecorded, poolType, size],
    propertyToken === "" ? undefined : propertyToken,
    poolType === PoolType.MANUAL ? undefined : utilization,
  ]);
}
