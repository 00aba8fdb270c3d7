import { createHmac } from "node:crypto";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement } from "../../database/prepared-statement.js";

/**
 * Returns a key that identifies a caller without revealing the number: a UUID from the first 128 bits of the number's HMAC-SHA-256. The HMAC
 * secret is in the database, so a number has the same key on every server.
 */
export type CallerHasher = (callerNumber: string) => Promise<string>;

/** Creates a hasher that reads the secret from the database on first use. */
export function createCallerHasher(db: Executor): CallerHasher {
  let secret: Uint8Array | undefined;
  return async (callerNumber) => {
    secret ??= await readSecret(db);
    const digits = createHmac("sha256", secret).update(callerNumber).digest("hex").slice(0, 32);
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };
}

const readSecretStatement = prepareStatement<object, { value: Uint8Array }>((db) =>
  db.selectFrom("settings").select("value").where("name", "=", sql.lit("caller_number_key")),
);

async function readSecret(db: Executor): Promise<Uint8Array> {
  const [row] = await readSecretStatement(db, {});
  if (row === undefined) throw new Error("the settings table has no row named caller_number_key");
  return row.value;
}
