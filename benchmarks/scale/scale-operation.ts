import { createPoolRequest, getPoolRequest, poolsPath } from "../workloads/json-workloads.ts";
import type { LoadRequest } from "../workloads/workload.ts";
import type { ScaleSeed } from "./scale-seed.ts";

const PAGE_SIZE = 100;

export interface ScaleOperation {
  readonly title: string;
  readonly minRows: number;
  readonly requests: (seed: ScaleSeed, deepToken: string) => readonly LoadRequest[];
}

export const SCALE_OPERATIONS: readonly ScaleOperation[] = [
  {
    title: "get a pool",
    minRows: 1,
    requests: ({ pools }) => pools.map(getPoolRequest),
  },
  {
    title: "list the first page of an account",
    // All accounts except the largest have about 90 pools.
    minRows: 0.9 * PAGE_SIZE,
    requests: ({ accounts }) => accounts.map(({ accountToken }) => page(accountToken)),
  },
  {
    title: "list the first page of the largest account",
    minRows: PAGE_SIZE,
    requests: ({ largestAccount }) => [page(largestAccount)],
  },
  {
    title: "list the largest account after nine tenths of its pools",
    minRows: PAGE_SIZE,
    requests: ({ largestAccount }, deepToken) => [page(largestAccount, deepToken)],
  },
  {
    title: "update a pool",
    minRows: 1,
    requests: ({ pools }) =>
      pools.map((pool) => ({ ...getPoolRequest(pool), method: "PUT", body: '{"utilization":1}' })),
  },
  {
    title: "create a pool",
    minRows: 1,
    requests: ({ accounts }) => accounts.map((account) => createPoolRequest(account)),
  },
];

function page(account: string, token?: string): LoadRequest {
  const query = token === undefined ? "" : `&page_token=${encodeURIComponent(token)}`;
  return { method: "GET", path: `${poolsPath(account)}?page_size=${PAGE_SIZE}${query}` };
}
