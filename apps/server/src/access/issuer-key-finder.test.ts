import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTVerifyGetKey } from "jose";
import { pino } from "pino";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createIssuerKeyFinder } from "./issuer-key-finder.js";

const DISCOVERY = "/.well-known/openid-configuration";

/** The responses of an issuer, keyed by path. Each is a body, or a function that writes the response. */
type Answers = Readonly<Record<string, object | ((response: ServerResponse) => void)>>;

const key = { ...(await exportJWK((await generateKeyPair("ES256")).publicKey)), kid: "one", alg: "ES256", use: "sig" };

afterEach(() => {
  vi.restoreAllMocks();
});

/** Starts an issuer that responds correctly except on the given paths. Returns its URL and the number of requests per path. */
async function startIssuer(answersOf: (issuer: string) => Answers = () => ({})) {
  const asked: Record<string, number> = {};
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked[path] = (asked[path] ?? 0) + 1;
    const usual = { [DISCOVERY]: { issuer, jwks_uri: `${issuer}/keys` }, "/keys": { keys: [key] } };
    const answer = ({ ...usual, ...answersOf(issuer) } as Answers)[path];
    response.setHeader("connection", "close");
    if (typeof answer === "function") answer(response);
    else response.end(JSON.stringify(answer));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { issuer, asked };
}

function createKeys(issuer: string): JWTVerifyGetKey {
  return createIssuerKeyFinder(issuer, pino({ level: "silent" }));
}

/** Returns "found", or the reason for the failure. */
async function outcomeOf(findKey: JWTVerifyGetKey, kid = "one"): Promise<string> {
  const token = { payload: "", signature: "" };
  return Promise.resolve(findKey({ alg: "ES256", kid }, token)).then(
    () => "found",
    (error) => error.reason,
  );
}

function advanceClocks(ms: number): void {
  const since = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => since + ms);
}

const redirectTo = (url: string) => (response: ServerResponse) => response.writeHead(302, { location: url }).end();

const fail = (body: unknown) => (response: ServerResponse) => response.writeHead(500).end(JSON.stringify(body));

test("finds keys by discovery", async () => {
  const { issuer } = await startIssuer();
  expect(await outcomeOf(createKeys(issuer))).toBe("found");
});

test.each<[what: string, answersOf: (issuer: string) => Answers]>([
  [
    "a metadata document of another issuer",
    (issuer) => ({ [DISCOVERY]: { issuer: `${issuer}/other`, jwks_uri: `${issuer}/keys` } }),
  ],
  ["no jwks_uri", (issuer) => ({ [DISCOVERY]: { issuer } })],
  [
    "a jwks_uri of another scheme",
    (issuer) => ({ [DISCOVERY]: { issuer, jwks_uri: `data:application/json,${JSON.stringify({ keys: [key] })}` } }),
  ],
  ["a metadata document with status 500", (issuer) => ({ [DISCOVERY]: fail({ issuer, jwks_uri: `${issuer}/keys` }) })],
  [
    "a redirect to its metadata document",
    (issuer) => ({ [DISCOVERY]: redirectTo(`${issuer}/moved`), "/moved": { issuer, jwks_uri: `${issuer}/keys` } }),
  ],
  ["keys with status 500", () => ({ "/keys": fail({ keys: [key] }) })],
  ["a redirect to its keys", (issuer) => ({ "/keys": redirectTo(`${issuer}/moved`), "/moved": { keys: [key] } })],
])("an issuer that answers with %s is unavailable", async (_, answersOf) => {
  const { issuer } = await startIssuer(answersOf);
  expect(await outcomeOf(createKeys(issuer))).toBe("ISSUER_UNAVAILABLE");
});

test("retries a failed issuer after a second, and not before", async () => {
  let isDown = true;
  const { issuer, asked } = await startIssuer((url) => ({
    ...(isDown && { [DISCOVERY]: fail({ issuer: url }) }),
  }));
  const findKey = createKeys(issuer);
  advanceClocks(0);
  for (let turn = 0; turn < 3; turn++) expect(await outcomeOf(findKey)).toBe("ISSUER_UNAVAILABLE");
  expect(asked[DISCOVERY]).toBe(1);
  isDown = false;
  expect(await outcomeOf(findKey)).toBe("ISSUER_UNAVAILABLE");
  advanceClocks(1001);
  expect(await outcomeOf(findKey)).toBe("found");
});

test("refreshes keys older than ten minutes once, in the background", async () => {
  const { issuer, asked } = await startIssuer();
  const findKey = createKeys(issuer);
  expect(await outcomeOf(findKey)).toBe("found");
  advanceClocks(600_001);
  for (let turn = 0; turn < 3; turn++) {
    expect(await outcomeOf(findKey)).toBe("found");
    await expect.poll(() => asked["/keys"]).toBe(2);
    // Waits for another round trip, after which a second refresh would have arrived at the issuer.
    await fetch(issuer + DISCOVERY);
  }
  expect(asked["/keys"]).toBe(2);
});

test.each<[what: string, malformed: object]>([
  ["an object without keys", { error: "maintenance" }],
  ["null instead of keys", { keys: null }],
  ["a list", [key]],
])(
  "an issuer that later answers with %s is unavailable for tokens with an unknown key, and is asked once a second",
  async (_, malformed) => {
    let keys: object = { keys: [key] };
    const { issuer, asked } = await startIssuer(() => ({ "/keys": (response) => response.end(JSON.stringify(keys)) }));
    const findKey = createKeys(issuer);
    expect(await outcomeOf(findKey)).toBe("found");
    keys = malformed;
    advanceClocks(30_001);
    for (let turn = 0; turn < 3; turn++) expect(await outcomeOf(findKey, "two")).toBe("ISSUER_UNAVAILABLE");
    expect(asked["/keys"]).toBe(2);
    expect(await outcomeOf(findKey)).toBe("found");
  },
);

test("repeats a failed refresh after 30 seconds", async () => {
  let keys: object = { keys: [key] };
  const { issuer, asked } = await startIssuer(() => ({ "/keys": (response) => response.end(JSON.stringify(keys)) }));
  const findKey = createKeys(issuer);
  expect(await outcomeOf(findKey)).toBe("found");
  keys = {};
  advanceClocks(600_001);
  expect(await outcomeOf(findKey)).toBe("found");
  // A token with an unknown key waits for the refresh, and gets its error.
  expect(await outcomeOf(findKey, "two")).toBe("ISSUER_UNAVAILABLE");
  expect(asked["/keys"]).toBe(2);
  keys = { keys: [{ ...key, kid: "two" }] };
  advanceClocks(30_001);
  expect(await outcomeOf(findKey)).toBe("found");
  await expect.poll(() => outcomeOf(findKey)).not.toBe("found");
});

describe("an issuer that moves its keys to another URL", () => {
  /** Returns a function that finds keys, and a function after which the issuer publishes its keys only at another URL. */
  async function startMovingIssuer() {
    let hasMoved = false;
    const gone = (response: ServerResponse) => response.writeHead(404).end();
    const { issuer } = await startIssuer((url) =>
      hasMoved
        ? {
            [DISCOVERY]: { issuer: url, jwks_uri: `${url}/moved` },
            "/keys": gone,
            "/moved": { keys: [{ ...key, kid: "two" }] },
          }
        : {},
    );
    const move = () => {
      hasMoved = true;
    };
    return { findKey: createKeys(issuer), move };
  }

  test("is followed with the next refresh, without an interruption", async () => {
    const { findKey, move } = await startMovingIssuer();
    expect(await outcomeOf(findKey)).toBe("found");
    move();
    advanceClocks(600_001);
    expect(await outcomeOf(findKey)).toBe("found");
    await expect.poll(() => outcomeOf(findKey, "two")).toBe("found");
    expect(await outcomeOf(findKey)).not.toBe("found");
  });

  test("is followed after a day without tokens", async () => {
    const { findKey, move } = await startMovingIssuer();
    expect(await outcomeOf(findKey)).toBe("found");
    move();
    advanceClocks(86_400_001);
    const outcomes = await Promise.all([outcomeOf(findKey, "two"), outcomeOf(findKey, "two")]);
    expect(outcomes).toEqual(["found", "found"]);
  });
});
