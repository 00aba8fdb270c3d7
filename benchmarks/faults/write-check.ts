import type { AcknowledgedWrite } from "./load.ts";
import type { PoolOwner } from "./pool-client.ts";

/** What is left of the writes. */
export interface WriteCheck {
  readonly acknowledged: number;
  /** Acknowledged, and not there as it was acknowledged. */
  readonly lost: number;
  /** There more than once. */
  readonly doubled: number;
  /** There, and never acknowledged: the answer was lost, and nobody asked again. */
  readonly unacknowledged: number;
}

/** Looks all writes up over the API. */
export async function checkWrites(
  port: number,
  owners: readonly PoolOwner[],
  acknowledged: readonly AcknowledgedWrite[],
  headers: Readonly<Record<string, string>> = {},
): Promise<WriteCheck> {
  const there = new Map<string, string[]>();
  for (const { accountToken } of owners) {
    const response = await fetch(`http://127.0.0.1:${port}/dni_manager/accounts/${accountToken}/pools`, { headers });
    if (!response.ok) throw new Error(`the pools cannot be read: ${await response.text()}`);
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
