import { createHmac } from "node:crypto";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement } from "../../database/prepared-statement.js";

/**
 * Tells callers apart without their numbers: gives a UUID of the first 128 bits of an HMAC-SHA-256 of the number, under the key that
 * the database has. The same number has the same UUID on every server.
 */
export type CallerKeys = (callerNumber: string) => Promise<string>;

/** Creates what gives callers' keys. It reads the database's key once. */
export function createCallerKeys(db: Executor): CallerKeys {
  let secret: Uint8Array | undefined;
  return async (callerNumber) => {
    secret ??= await readSecret(db);
    const digits = createHmac("sha256", secret).update(callerNumber).digest("hex").slice(0, 32);
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };
}

const secretStatement = prepareStatement<object, { value: Uint8Array }>((db) =>
  db.selectFrom("settings").select("value").where("name", "=", sql.lit("caller_number_key")),
);

async function readSecret(db: Executor): Promise<Uint8Array> {
  const [row] = await secretStatement(db, {});
  if (row === undefined) throw new Error("the table settings has no caller_number_key");
  return row.value;
}
