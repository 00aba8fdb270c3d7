import type { LoadRequest } from "../workloads/workload.ts";
import type { ScaleSeed } from "./scale-seed.ts";

/** Rows per page. */
const PAGE_SIZE = 100;

/** One kind of request, measured at every size. */
export interface ScaleOperation {
  /** Title in tables. */
  readonly title: string;
  /** Expected HTTP status of every response. */
  readonly status: number;
  readonly requests: (seed: ScaleSeed, deepToken: string) => readonly LoadRequest[];
}

/** The measured operations. */
export const OPERATIONS: readonly ScaleOperation[] = [
  {
    title: "get a pool",
    status: 200,
    requests: ({ pools }) => pools.map(({ account, id }) => ({ method: "GET", path: `${poolsPath(account)}/${id}` })),
  },
  {
    title: "list the first page of an account",
    status: 200,
    requests: ({ accounts }) => accounts.map(({ account }) => page(account)),
  },
  {
    title: "list the first page of the largest",
    status: 200,
    requests: ({ largestAccount }) => [page(largestAccount)],
  },
  {
    title: "list, nine tenths deep",
    status: 200,
    requests: ({ largestAccount }, deepToken) => [page(largestAccount, deepToken)],
  },
  {
    title: "update a pool",
    status: 200,
    requests: ({ pools }) =>
      pools.map(({ account, id }) => ({
        method: "PUT",
        path: `${poolsPath(account)}/${id}`,
        body: '{"utilization":1}',
      })),
  },
  {
    title: "create a pool",
    status: 201,
    requests: ({ accounts }) => accounts.map(({ account, phoneNumber }) => newPool(account, phoneNumber)),
  },
];

/** Path of the pools of an account. */
export function poolsPath(account: string): string {
  return `/dni_manager/accounts/${account}/pools`;
}

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
