import type { Scope } from "@calltrack/domain";
import { createChangeOrigin } from "../access/change-origin.js";
import { type IssuedApiKey, issueApiKey } from "../api/api-keys/api-key-service.js";
import type { Database } from "../database/open-database.js";

export function createBearerHeaders(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** Creates an API key with a scope for all accounts. If `expiresAt` is in the past, the API key has already expired. */
export function createTestApiKey({ db }: Database, scope: Scope, expiresAt?: Date): Promise<IssuedApiKey> {
  return issueApiKey(db, { scopes: [scope], description: undefined, account: undefined, expiresAt }, TEST_ORIGIN);
}

/** Creates an API key with the scope `admin`, as `calltrack-server create-admin-key` does. */
export async function createTestAdminKey(database: Database): Promise<string> {
  return (await createTestApiKey(database, "admin")).key;
}

/** The origin of changes that a test makes directly in the database. */
export const TEST_ORIGIN = createChangeOrigin("test", { kind: "operator" });
