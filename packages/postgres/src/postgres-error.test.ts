import pg from "pg";
import { expect, inject, test } from "vitest";
import { getStatementOutcome, isDatabaseUnavailable } from "./postgres-error.js";

/** `pg` throws these errors without a code. If the test fails, a release of `pg` has changed their messages. */
test("recognizes lost connections, closed clients and exhausted pools of pg", async () => {
  const client = new pg.Client({ connectionString: inject("postgresUrl") });
  client.on("error", () => {});
  await client.connect();
  const lost = client.query("select pg_sleep(60)");
  const rejected = expect(lost).rejects.toSatisfy(isDatabaseUnavailable);
  // `end` closes the connection immediately if a statement is in progress.
  await client.end();
  await rejected;
  await expect(client.query("select")).rejects.toSatisfy(isDatabaseUnavailable);

  const pool = new pg.Pool({ connectionString: inject("postgresUrl"), max: 1 });
  const held = await pool.connect();
  // The short timeout is set after the first connection has opened, because opening it may take longer on a busy machine.
  pool.options.connectionTimeoutMillis = 50;
  await expect(pool.connect()).rejects.toSatisfy(isDatabaseUnavailable);
  held.release();
  await pool.end();
});

function serverError(code: string, message = "", constraint?: string): Error {
  return Object.assign(new pg.DatabaseError(message, 0, "error"), { code, constraint });
}

test.each([
  ["not run", "a deadlock", serverError("40P01")],
  ["not run", "a serialization failure", serverError("40001")],
  ["not run", "a read-only server", serverError("25006")],
  ["not run", "a prepared statement that a migration made invalid", serverError("0A000")],
  ["not run", "a worker of a cluster that was not reached", serverError("08006", "cannot connect to worker:5432")],
  ["unknown", "a terminated session", serverError("57P01")],
  ["unknown", "any other fatal error", Object.assign(serverError("XX000"), { severity: "FATAL" })],
  ["unknown", "a lost connection", Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })],
  ["unknown", "a lost worker of a cluster", serverError("XX000", "server closed the connection unexpectedly")],
  ["ran", "a violated constraint", serverError("23505", "", "things_pkey")],
  ["ran", "a canceled statement", serverError("57014")],
  ["ran", "an error of the program", new TypeError("undefined is not a function")],
])("the outcome is %s after %s", (outcome, _, error) => {
  expect(getStatementOutcome(error)).toBe(outcome);
});
