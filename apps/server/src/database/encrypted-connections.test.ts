import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { type PostgresNode, startPostgresNode } from "@calltrack/postgres/testing/postgres-node";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCertificate } from "../testing/certificate.js";
import { createDataLocation } from "../testing/data-location.js";
import { createJsonClient } from "../testing/json-client.js";
import { connectToPostgres, queryOnce } from "../testing/pg-client.js";
import { requireRefusal } from "../testing/refusal.js";
import { newAccount } from "../testing/request-fields.js";
import { startListeningProcess, startServerProcess } from "../testing/server-process.js";
import { openDatabase } from "./open-database.js";

const folder = createFolder();
let node: PostgresNode;

beforeAll(async () => {
  const { cert, key } = await createCertificate("01");
  const other = await createCertificate("02");
  writeFileSync(join(folder, "root.crt"), cert);
  writeFileSync(join(folder, "other.crt"), other.cert);
  node = await startPostgresNode();
  const client = await connectToPostgres(node.url);
  for (const [name, pem] of Object.entries({ "server.crt": cert, "server.key": key })) {
    const lines = pg.escapeLiteral(pem.trim().replaceAll("\n", ","));
    await client.query(`copy (select unnest(string_to_array(${lines}, ','))) to program 'umask 077; cat > ${name}'`);
  }
  await client.query("alter system set ssl = on");
  await client.query("select pg_reload_conf()");
  await client.end();
});

afterAll(() => node[Symbol.asyncDispose]());

/** Returns the database's URL with these parameters. Replaces `CA` in them with the path of the folder with the certificates. */
function urlWith(parameters: string): string {
  return `${node.url}?${parameters.replace("CA", folder)}`;
}

test("a server encrypts all of its connections", async () => {
  await using server = await startServerProcess({
    DATABASE_URL: urlWith("sslmode=verify-full&sslrootcert=CA/root.crt"),
  });
  await newAccount(createJsonClient(server.url));
  const sessions = await queryOnce(
    node.url,
    "select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where pid <> pg_backend_pid() and usename is not null",
  );
  expect(sessions).toEqual([{ ssl: true }]);
});

test.each([
  ["sslmode=require", true],
  ["sslmode=verify-ca&sslrootcert=CA/root.crt", true],
  ["ssl=no-verify", true],
  ["sslmode=disable", false],
])("a database connects with %s", async (parameters, isEncrypted) => {
  const database = openDatabase({ kind: "postgres", url: urlWith(parameters) });
  const { rows } = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(database.kysely);
  await database.close();
  expect(rows).toEqual([{ ssl: isEncrypted }]);
});

test.each([
  ["an untrusted certificate", "sslmode=verify-full&sslrootcert=CA/other.crt", "self-signed certificate"],
  ["a server without TLS", "sslmode=require", "does not support SSL"],
])("a server waits for its database despite %s, and logs the reason", async (_, parameters, reason) => {
  const plain = await createDataLocation("postgres");
  const url = reason.includes("support") ? plain.environment.DATABASE_URL : node.url;
  const DATABASE_URL = urlWith(parameters).replace(node.url, url ?? "");
  await using server = await startListeningProcess({ DATABASE_URL });
  await server.waitForLog(reason);
  expect(await requireRefusal(newAccount(createJsonClient(server.url)))).toMatchObject({ reason: "UNAVAILABLE" });
  expect(await server.stop()).toMatchObject({ exitCode: 0 });
});
