import { makeApiKey } from "../api/api-keys/api-key-service.js";
import type { Database } from "../database/open-database.js";
import { TEST_ORIGIN } from "./test-origin.js";

/** The header by which a caller says who it is. */
export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** Makes a key that may do everything, as `calltrack-server create-admin-key` does. */
export async function makeAdminKey({ db }: Database): Promise<string> {
  const wanted = { scopes: ["admin"], description: undefined, account: undefined, expiresAt: undefined } as const;
  return (await makeApiKey(db, wanted, TEST_ORIGIN)).key;
}
