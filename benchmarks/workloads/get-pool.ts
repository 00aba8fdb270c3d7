import type { Workload } from "./workload.ts";

/** Reads one pool, another each time. */
export const getPool: Workload = {
  title: "get one pool",
  status: 200,
  isWriting: false,
  requests: ({ pools }) =>
    pools.map(({ accountToken, id }) => ({ method: "GET", path: `/dni_manager/accounts/${accountToken}/pools/${id}` })),
};
