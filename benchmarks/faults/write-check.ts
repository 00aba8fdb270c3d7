import type { PoolOwner } from "../database-seed.ts";
import { poolsPath } from "../workloads/json-workloads.ts";
import { requestJson } from "../workloads/send-json.ts";
import type { AcknowledgedWrite } from "./fault-load.ts";

export interface WriteCheck {
  readonly acknowledged: number;
  /** Number of acknowledged writes that are missing or differ. */
  readonly lost: number;
  readonly doubled: number;
}

/** Compares the acknowledged writes with the pools that the API returns. */
export async function checkWrites(
  port: number,
  owners: readonly PoolOwner[],
  acknowledged: readonly AcknowledgedWrite[],
): Promise<WriteCheck> {
  const there = new Map<string, string[]>();
  for (const { accountToken } of owners) {
    const pools = await requestJson(port, { method: "GET", path: poolsPath(accountToken) });
    for (const { id, description } of JSON.parse(pools) as { id: string; description: string }[]) {
      there.set(description, [...(there.get(description) ?? []), id]);
    }
  }
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(({ id, description }) => !there.get(description)?.includes(id)).length,
    doubled: [...there.values()].filter((ids) => ids.length > 1).length,
  };
}
