import type { PoolOwner } from "./pool-client.ts";

/** Creates accounts over the API, each with a registered number. */
export async function createPoolOwners(
  port: number,
  count: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<PoolOwner[]> {
  const post = async (path: string, body: object) => {
    const init = {
      method: "POST",
      body: JSON.stringify(body),
      headers: { ...headers, "content-type": "application/json" },
    };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    await response.body?.cancel();
  };
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
