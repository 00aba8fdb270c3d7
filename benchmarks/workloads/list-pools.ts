import type { Workload } from "./workload.ts";

/** Lists the 20 pools of an account, of another account each time. */
export const listPools: Workload = {
  title: "list 20 pools",
  status: 200,
  isWriting: false,
  requests: ({ pools }) =>
    pools.map(({ accountToken }) => ({ method: "GET", path: `/dni_manager/accounts/${accountToken}/pools` })),
};
