import type { Principal } from "@calltrack/domain";
import { pino } from "pino";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { openDatabase } from "../database/open-database.js";
import { startIssuer } from "../testing/issuer.js";
import { createTestDatabase } from "../testing/test-database.js";
import { createAccessTokenVerifier } from "./access-token-verifier.js";
import { createAccountDirectory } from "./account-directory.js";

const NOW = Date.parse("2030-01-01T00:00:00Z");

let verifier: ReturnType<typeof createAccessTokenVerifier>;

const database = openDatabase(await createTestDatabase("postgres"));
const issuer = await startIssuer();

afterAll(async () => {
  await issuer.stop();
  await database.close();
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  verifier = createAccessTokenVerifier(issuer.settings, createAccountDirectory(database.db), pino({ level: "silent" }));
});

afterEach(() => {
  vi.useRealTimers();
});

/** Signs a token that expires `seconds` seconds after the start of the test. */
const sign = (seconds: number) => issuer.sign({ exp: NOW / 1000 + seconds });

function verifyAt(ms: number, token: string): Promise<Principal> {
  vi.setSystemTime(NOW + ms);
  return verifier.verify(token);
}

test("caches a verified token for 30 seconds", async () => {
  const token = await sign(3600);
  const caller = await verifyAt(0, token);
  expect(await verifyAt(29_999, token)).toBe(caller);
  expect(await verifyAt(30_000, token)).not.toBe(caller);
});

test("applies the clock skew to cached tokens too", async () => {
  const token = await sign(-20);
  const caller = await verifyAt(0, token);
  expect(await verifyAt(9999, token)).toBe(caller);
  await expect(verifyAt(10_000, token)).rejects.toMatchObject({ reason: "ACCESS_TOKEN_EXPIRED" });
});

test("a cached token identifies its own caller", async () => {
  const [alice, bob] = [await issuer.sign({ sub: "alice" }), await issuer.sign({ sub: "bob" })];
  for (let turn = 0; turn < 2; turn++) {
    expect(await verifier.verify(alice)).toMatchObject({ actor: { subject: "alice" } });
    expect(await verifier.verify(bob)).toMatchObject({ actor: { subject: "bob" } });
  }
});
