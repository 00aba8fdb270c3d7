import type { DatabaseSeed, PoolOwner } from "../database-seed.ts";
import { sendJson } from "./send-json.ts";
import type { LoadRequest, Workload } from "./workload.ts";

/** Gets a different pool each time. */
export const jsonGetPoolWorkload = workload({ operation: "get", title: "get one pool" }, 200, ({ pools }) =>
  pools.map(getPoolRequest),
);

/** Creates an automanaged pool with all fields, in a different account each time. */
export const jsonCreatePoolWorkload = workload(
  { operation: "create", title: "create a pool" },
  201,
  ({ writtenAccounts }) => writtenAccounts.map((account) => createPoolRequest(account)),
);

/** Lists the 20 pools of a different account each time. */
export const jsonListPoolsWorkload = workload({ operation: "list", title: "list 20 pools" }, 200, ({ pools }) =>
  pools.map(({ accountToken }) => ({ method: "GET", path: poolsPath(accountToken) })),
);

export function getPoolRequest({ accountToken, id }: DatabaseSeed["pools"][number]): LoadRequest {
  return { method: "GET", path: `${poolsPath(accountToken)}/${id}` };
}

export function createPoolRequest(
  { accountToken, phoneNumber }: PoolOwner,
  description = "Numbers for the spring campaign",
): LoadRequest {
  const body = {
    original_number: phoneNumber,
    area_code: "030",
    description,
    is_dni: true,
    is_prompted: false,
    is_recorded: true,
    pool_type: "automated",
    property_token: "prop_1f0e3dad",
    size: 10,
    utilization: 0.5,
  };
  return { method: "POST", path: poolsPath(accountToken), body: JSON.stringify(body) };
}

export function poolsPath(account: string): string {
  return `/dni_manager/accounts/${account}/pools`;
}

function workload(
  { operation, title }: Pick<Workload, "operation" | "title">,
  expectedStatus: number,
  requests: (seed: DatabaseSeed) => readonly LoadRequest[],
): Workload {
  return {
    ...{ name: operation, operation, title },
    protocol: "json",
    requests,
    async ask(port, seed) {
      const { status, type, body } = await sendJson(port, requests(seed)[0] as LoadRequest);
      if (status !== expectedStatus) throw new Error(`${title}: status ${status}, ${body}`);
      const shared = operation === "create" ? body.replace(/("(?:id|created_at|updated_at)":)"[^"]*"/g, "$1…") : body;
      return `${type} ${shared}`;
    },
  };
}
