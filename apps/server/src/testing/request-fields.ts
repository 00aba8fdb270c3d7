import { randomInt, randomUUID } from "node:crypto";
import type { AccountJson, ApiClient, PoolJson, RequestFields } from "./api-client.js";

/** Returns an unused token, so that tests that share a server have their own accounts. */
export function uniqueToken(prefix = "account"): string {
  return `${prefix}-${randomUUID()}`;
}

/** Returns a random phone number, so that tests that share a server use different numbers. */
export function uniqueNumber(): string {
  return `+1${randomInt(1e12, 1e13)}`;
}

export function newAccount(api: ApiClient): Promise<AccountJson> {
  return api.createAccount({ account_token: uniqueToken() });
}

/** Creates an account with a registered phone number, which a pool requires. */
export async function newAccountWithNumber(
  api: ApiClient,
): Promise<{ readonly account: AccountJson; readonly number: string; readonly numberId: string }> {
  const account = await newAccount(api);
  const number = uniqueNumber();
  const { id } = await api.createPhoneNumber({ account_id: account.account_token, phone_number: number });
  return { account, number, numberId: id };
}

/** Returns valid CreatePool fields for a manual pool. */
export function createManualPoolFields(
  account: AccountJson,
  number: string,
  fields: RequestFields = {},
): RequestFields {
  return {
    account_id: account.account_token,
    original_number: number,
    area_code: "0123",
    is_dni: true,
    is_prompted: false,
    is_recorded: true,
    pool_type: "manual",
    size: 5,
    ...fields,
  };
}

/** Returns valid CreatePool fields for an automanaged pool. */
export function createAutomanagedPoolFields(
  account: AccountJson,
  number: string,
  fields: RequestFields = {},
): RequestFields {
  return createManualPoolFields(account, number, {
    pool_type: "automanaged",
    property_token: "shop",
    utilization: 0.5,
    ...fields,
  });
}

/** Creates an account, a phone number and a pool for the number, automanaged by default. */
export async function newPool(
  api: ApiClient,
  fields: RequestFields = {},
): Promise<Awaited<ReturnType<typeof newAccountWithNumber>> & { readonly pool: PoolJson }> {
  const owner = await newAccountWithNumber(api);
  const template = fields.pool_type === "manual" ? createManualPoolFields : createAutomanagedPoolFields;
  return { ...owner, pool: await api.createPool(template(owner.account, owner.number, fields)) };
}

/** Returns the request fields that identify a pool. */
export function getPoolKeyFields(account: AccountJson, pool: PoolJson): RequestFields {
  return { account_id: account.account_token, pool_id: pool.id };
}
