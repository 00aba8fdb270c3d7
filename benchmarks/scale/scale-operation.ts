import { creationIn, getOf, poolsPath } from "../workloads/json-workloads.ts";
import type { LoadRequest } from "../workloads/workload.ts";
import type { ScaleSeed } from "./scale-seed.ts";

/** Rows per page. */
const PAGE_SIZE = 100;

/** One kind of request, measured at every size. */
export interface ScaleOperation {
  /** Title in tables. */
  readonly title: string;
  /** Minimum number of pools in a response. */
  readonly minRows: number;
  readonly requests: (seed: ScaleSeed, deepToken: string) => readonly LoadRequest[];
}

/** The measured operations. */
export const OPERATIONS: readonly ScaleOperation[] = [
  {
    title: "get a pool",
    minRows: 1,
    requests: ({ pools }) => pools.map(getOf),
  },
  {
    title: "list the first page of an account",
    // These accounts have fewer pools than the largest.
    minRows: 0.9 * PAGE_SIZE,
    requests: ({ accounts }) => accounts.map(({ accountToken }) => page(accountToken)),
  },
  {
    title: "list the first page of the largest",
    minRows: PAGE_SIZE,
    requests: ({ largestAccount }) => [page(largestAccount)],
  },
  {
    title: "list, nine tenths deep",
    minRows: PAGE_SIZE,
    requests: ({ largestAccount }, deepToken) => [page(largestAccount, deepToken)],
  },
  {
    title: "update a pool",
    minRows: 1,
    requests: ({ pools }) => pools.map((pool) => ({ ...getOf(pool), method: "PUT", body: '{"utilization":1}' })),
  },
  {
    title: "create a pool",
    minRows: 1,
    requests: ({ accounts }) => accounts.map((account) => creationIn(account)),
  },
];

function page(account: string, token?: string): LoadRequest {
  const query = token === undefined ? "" : `&page_token=${encodeURIComponent(token)}`;
  return { method: "GET", path: `${poolsPath(account)}?page_size=${PAGE_SIZE}${query}` };
}
