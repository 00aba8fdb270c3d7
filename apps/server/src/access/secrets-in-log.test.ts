import { sql } from "kysely";
import { expect, test } from "vitest";
import { openDatabase } from "../database/open-database.js";
import { createBearerHeaders } from "../testing/credentials.js";
import { createDataLocation } from "../testing/data-location.js";
import { createGrpcClient } from "../testing/grpc-client.js";
import { startIssuer } from "../testing/issuer.js";
import { createJsonClient } from "../testing/json-client.js";
import { startOtlpReceiver } from "../testing/otlp-receiver.js";
import { runServer, startServerProcess } from "../testing/server-process.js";
import { generateApiKey } from "./api-key-format.js";

/** Returns the parts of a credential that the log must not contain: an API key without its prefix, or an access token without its header. */
function secretsOf(credential: string): readonly string[] {
  if (credential.startsWith("ct_")) return [credential.slice(16, 40), credential.slice(40)];
  return credential.split(".").slice(1);
}

test("logs and traces of all levels contain no secrets, whatever the outcome of a request", async () => {
  await using location = await createDataLocation("postgres");
  const issuer = await startIssuer();
  await using collector = await startOtlpReceiver();
  const collectorKey = "the-key-of-the-collector";
  const secretsKey = Buffer.from("a key of thirty-two random bytes").toString("base64");
  const environment = {
    ...location.environment,
    SECRETS_KEY: secretsKey,
    LOG_LEVEL: "trace",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${collectorKey}`,
    OTEL_BSP_MAX_QUEUE_SIZE: "100000",
    AUTH: "keys,jwt",
    OIDC_ISSUER: issuer.settings.issuer,
    OIDC_AUDIENCE: issuer.settings.audience,
    OIDC_ACCOUNT_CLAIM: "account",
  };
  const made = await runServer(["create-admin-key"], environment);
  expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^ct_\w+\n$/), stderr: expect.any(String) });
  const adminKey = made.stdout.trim();
  const server = await startServerProcess(environment);
  const api = createJsonClient(server.url, createBearerHeaders(adminKey));
  const revoked = await api.createApiKey({ scopes: ["read"] });
  await api.revokeApiKey({ api_key_id: revoked.api_key.id });
  const stranger = await startIssuer();
  const credentials = [
    adminKey,
    revoked.key,
    generateApiKey().key,
    `${adminKey}x`,
    await issuer.sign({ scope: "admin" }),
    await issuer.sign({ scope: "admin", exp: 1 }),
    await issuer.sign({ scope: "admin" }, { kid: "unknown" }),
    await stranger.sign({ scope: "admin", iss: issuer.settings.issuer }),
  ];
  const phoneSecret = "the-auth-token-of-a-provider";
  const useAll = async () => {
    for (const credential of credentials) {
      const grpc = createGrpcClient(server.port, createBearerHeaders(credential));
      for (const client of [createJsonClient(server.url, createBearerHeaders(credential)), grpc]) {
        await client.listAccounts().catch(() => {});
        await client.createApiKey({ scopes: ["read"], account_id: "nobody" }).catch(() => {});
        await client.createApiKey({ scopes: ["read"], description: "x" }).catch(() => {});
        await client.getApiKey({ api_key_id: credential }).catch(() => {});
        for (const kind of ["twilio", "telnyx"]) {
          const system = { name: "x", kind, account_sid: `AC${"0".repeat(32)}`, fallback_number: "+14155550100" };
          await client.createPhoneSystem({ ...system, secret: phoneSecret }).catch(() => {});
        }
      }
      grpc.close();
    }
  };
  await useAll();
  const url = location.environment.DATABASE_URL ?? "";
  const database = openDatabase({ kind: "postgres", url });
  await sql`alter table api_keys rename column description to remark`.execute(database.kysely);
  await sql`alter table phone_systems rename column name to remark`.execute(database.kysely);
  await useAll();
  await sql`drop table api_keys`.execute(database.kysely);
  await database.close();
  await issuer.stop();
  // The request fails with status 500 once the cached key has expired, because the table of API keys no longer exists.
  await expect
    .poll(
      async () =>
        (await fetch(`${server.url}/call_tracking/accounts`, { headers: createBearerHeaders(adminKey) })).status,
    )
    .toBe(500);
  await useAll();
  const { stdout, stderr } = await server.stop();
  await stranger.stop();
  const output = made.stderr + stdout + stderr + collector.text;
  expect(collector.spans.some(({ isError, kind }) => isError && kind === 3)).toBe(true);
  expect(output).toContain('"level":"debug"');
  expect(output).toContain('"level":"error"');
  for (const secret of credentials.flatMap(secretsOf)) {
    expect(secret.length).toBeGreaterThan(15);
    expect(output).not.toContain(secret);
  }
  for (const secret of [collectorKey, phoneSecret, secretsKey]) expect(output).not.toContain(secret);
});
