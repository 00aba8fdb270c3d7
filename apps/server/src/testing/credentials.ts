import { createChangeOrigin } from "../access/change-origin.js";
import { issueApiKey } from "../api/api-keys/api-key-service.js";
import type { Database } from "../database/open-database.js";

/** The header by which a caller says who it is. */
export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** Makes a key that may do everything, as `calltrack-server create-admin-key` does. */
export async function makeAdminKey({ db }: Database): Promise<string> {
  const wanted = { scopes: ["admin"], description: undefined, account: undefined, expiresAt: undefined } as const;
  return (await issueApiKey(db, wanted, TEST_ORIGIN)).key;
}

/** Where changes come from that a test makes in the database itself. */
export const TEST_ORIGIN = createChangeOrigin("test", { kind: "operator" });
