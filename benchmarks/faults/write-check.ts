import type { AcknowledgedWrite } from "./load.ts";
import type { PoolOwner } from "./pool-client.ts";

/** Comparison of the writes with the stored pools. */
export interface WriteCheck {
  readonly acknowledged: number;
  /** Number of acknowledged writes that are missing or differ. */
  readonly lost: number;
  /** Number of writes stored more than once. */
  readonly doubled: number;
  /** Number of stored writes that were never acknowledged, because the response was lost and no client retried. */
  readonly unacknowledged: number;
}

/** Reads all writes back over the API. */
export async function checkWrites(
  port: number,
  owners: readonly PoolOwner[],
  acknowledged: readonly AcknowledgedWrite[],
  headers: Readonly<Record<string, string>> = {},
): Promise<WriteCheck> {
  const there = new Map<string, string[]>();
  for (const { accountToken } of owners) {
    const response = await fetch(`http://127.0.0.1:${port}/dni_manager/accounts/${accountToken}/pools`, { headers });
    if (!response.ok) throw new Error(`listing pools failed: ${await response.text()}`);
    for (const { id, description } of (await response.json()) as { id: string; description: string }[]) {
      there.set(description, [...(there.get(description) ?? []), id]);
    }
  }
  const known = new Set(acknowledged.map(({ description }) => description));
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(({ id, description }) => !there.get(description)?.includes(id)).length,
    doubled: [...there.values()].filter((ids) => ids.length > 1).length,
    unacknowledged: [...there.keys()].filter((description) => !known.has(description)).length,
  };
}
