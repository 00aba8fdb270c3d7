import type { Executor } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import { prepareStatement } from "../database/prepared-statement.js";
import type { ApiKeyTable } from "../database/tables/api-key-table.js";

const CREDENTIAL_COLUMNS = [
  "id",
  "prefix",
  "hash",
  "scopes",
  "account_id",
  "account_token",
  "expires_at",
  "revoked_at",
] as const;

/** What is read of an API key to tell whether a caller has it. */
export type CredentialRow = Pick<Selectable<ApiKeyTable>, (typeof CREDENTIAL_COLUMNS)[number]>;

/** See `findCredentials`. */
const findCredentialsStatement = prepareStatement<{ prefixes: readonly string[] }, CredentialRow>((db, parameter) =>
  db
    .selectFrom("api_keys")
    .select(CREDENTIAL_COLUMNS)
    .where("prefix", "=", sql<string>`any(${parameter("prefixes")}::text[])`),
);

/** What tells whether a caller has the keys of these prefixes, in the order of the prefixes; undefined where there is no key. */
export async function findCredentials(
  db: Executor,
  prefixes: readonly string[],
): Promise<(CredentialRow | undefined)[]> {
  const rows = await findCredentialsStatement(db, { prefixes });
  const byPrefix = new Map(rows.map((row) => [row.prefix, row]));
  return prefixes.map((prefix) => byPrefix.get(prefix));
}
