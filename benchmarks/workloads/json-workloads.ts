import type { LoadRequest, Workload } from "./workload.ts";

/** Reads one pool, another each time. */
export const getPool: Workload = {
  name: "get",
  title: "get one pool",
  protocol: "json",
  status: 200,
  isWriting: false,
  hasFixedLoads: true,
  requests: ({ pools }) => pools.map(({ accountToken, id }) => get(`${poolsPath(accountToken)}/${id}`)),
};

/** Creates an automanaged pool with all fields, in another account each time. */
export const createPool: Workload = {
  name: "create",
  title: "create a pool",
  protocol: "json",
  status: 201,
  isWriting: true,
  hasFixedLoads: true,
  requests: ({ writtenAccounts }) =>
    writtenAccounts.map(({ accountToken, phoneNumber }) => ({
      method: "POST",
      path: poolsPath(accountToken),
      body: JSON.stringify({
        original_number: phoneNumber,
        area_code: "030",
        description: "Numbers for the spring campaign",
        is_dni: true,
        is_prompted: false,
        is_recorded: true,
        pool_type: "automated",
        property_token: "prop_1f0e3dad",
        size: 10,
        utilization: 0.5,
      }),
    })),
};

/** Lists the 20 pools of an account, another each time. */
export const listPools: Workload = {
  name: "list",
  title: "list 20 pools",
  protocol: "json",
  status: 200,
  isWriting: false,
  hasFixedLoads: false,
  requests: ({ pools }) => pools.map(({ accountToken }) => get(poolsPath(accountToken))),
};

function get(path: string): LoadRequest {
  return { method: "GET", path };
}

function poolsPath(account: string): string {
  return `/dni_manager/accounts/${account}/pools`;
}
