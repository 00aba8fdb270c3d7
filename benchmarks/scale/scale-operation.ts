import { poolsPath } from "../workloads/json-workloads.ts";
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
    requests: ({ pools }) => pools.map(({ account, id }) => ({ method: "GET", path: `${poolsPath(account)}/${id}` })),
  },
  {
    title: "list the first page of an account",
    // These accounts have fewer pools than the largest.
    minRows: 0.9 * PAGE_SIZE,
    requests: ({ accounts }) => accounts.map(({ account }) => page(account)),
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
    requests: ({ pools }) =>
      pools.map(({ account, id }) => ({
        method: "PUT",
        path: `${poolsPath(account)}/${id}`,
        body: '{"utilization":1}',
      })),
  },
  {
    title: "create a pool",
    minRows: 1,
    requests: ({ accounts }) => accounts.map(({ account, phoneNumber }) => newPool(account, phoneNumber)),
  },
];

function page(account: string, token?: string): LoadRequest {
  const query = token === undefined ? "" : `&page_token=${encodeURIComponent(token)}`;
  return { method: "GET", path: `${poolsPath(account)}?page_size=${PAGE_SIZE}${query}` };
}

function newPool(account: string, original_number: string): LoadRequest {
  const flags = { is_dni: true, is_prompted: false, is_recorded: true };
  const size = { size: 2, utilization: 1 };
  const body = { original_number, area_code: "030", pool_type: "automated", property_token: "shop", ...size, ...flags };
  return { method: "POST", path: poolsPath(account), body: JSON.stringify(body) };
}
