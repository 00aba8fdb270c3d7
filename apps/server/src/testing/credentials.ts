import { createChangeOrigin } from "../access/change-origin.js";
import { issueApiKey } from "../api/api-keys/api-key-service.js";
import type { Database } from "../database/open-database.js";

/** Returns the Authorization header for an API key or access token. */
export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** Creates an API key with the scope `admin`, as `calltrack-server create-admin-key` does. */
export async function makeAdminKey({ db }: Database): Promise<string> {
  const wanted = { scopes: ["admin"], description: undefined, account: undefined, expiresAt: undefined } as const;
  return (await issueApiKey(db, wanted, TEST_ORIGIN)).key;
}

/** The origin of changes that a test makes directly in the database. */
export const TEST_ORIGIN = createChangeOrigin("test", { kind: "operator" });
