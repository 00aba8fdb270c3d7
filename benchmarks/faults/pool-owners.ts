import type { PoolOwner } from "../database-seed.ts";
import { requestJson } from "../workloads/send-json.ts";

export async function createPoolOwners(port: number, count: number): Promise<PoolOwner[]> {
  const post = (path: string, body: object) => requestJson(port, { method: "POST", path, body: JSON.stringify(body) });
  const owners = Array.from({ length: count }, (_, index) => ({
    accountToken: `owner_${index + 1}`,
    phoneNumber: `+1222333${4000 + index}`,
  }));
  for (const { accountToken, phoneNumber } of owners) {
    await post("/call_tracking/accounts", { account_token: accountToken });
    await post(`/dni_manager/accounts/${accountToken}/phone_numbers`, { phone_number: phoneNumber });
  }
  return owners;
}
