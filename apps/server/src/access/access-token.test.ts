import { createSecretKey, generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { CompactSign, exportJWK, generateKeyPair, type JWTPayload, UnsecuredJWT } from "jose";
import { pino } from "pino";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { insertAccount } from "../api/accounts/account-repository.js";
import type { IssuerSettings } from "../config/issuer-settings.js";
import { createBearerHeaders, TEST_ORIGIN } from "../testing/credentials.js";
import { createGrpcClient } from "../testing/grpc-client.js";
import { ISSUER_AUDIENCE, type SigningOptions, startIssuer } from "../testing/issuer.js";
import { createJsonClient } from "../testing/json-client.js";
import { requireRefusal } from "../testing/refusal.js";
import { newAccount, uniqueToken } from "../testing/request-fields.js";
import { startTestServer } from "../testing/test-server.js";
import { createAccessTokenVerifier } from "./access-token-verifier.js";
import { createAccountDirectory } from "./account-directory.js";

const LOG = pino({ level: "silent" });

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

const rsaKey = (modulusLength: number) =>
  generateKeyPairSync("rsa", { modulusLength }).publicKey.export({ format: "jwk" });

const EC_KEY = generateKeyPairSync("ec", { namedCurve: "P-256" });
const EC_JWK = EC_KEY.publicKey.export({ format: "jwk" });
const RSA_JWK = rsaKey(2048);

/** Unusable keys in the issuer's key set, keyed by key id. `alg` is the algorithm in the tokens that name the key. */
const UNUSABLE_KEYS: Readonly<Record<string, [alg: string, key: object]>> = {
  "a short RSA key": ["RS256", rsaKey(1024)],
  "a short RSA key for PSS": ["PS256", { ...rsaKey(1024), alg: "PS256" }],
  "a malformed modulus": ["RS256", { ...RSA_JWK, n: "!" }],
  "an empty modulus": ["RS256", { ...RSA_JWK, n: "" }],
  "no exponent": ["RS256", { ...RSA_JWK, e: undefined }],
  "an even exponent": ["RS256", { ...RSA_JWK, e: "Ag" }],
  "a point off the curve": ["ES256", { ...EC_JWK, y: EC_JWK.x }],
  "half a point": ["ES256", { ...EC_JWK, y: undefined }],
  "a coordinate that is a number": ["ES256", { ...EC_JWK, x: 7 }],
  "an unknown curve": ["ES256", { ...EC_JWK, crv: "P-999" }],
  "the curve of another algorithm": ["ES384", EC_JWK],
  "a short Ed25519 key": ["EdDSA", { kty: "OKP", crv: "Ed25519", x: "AAAA" }],
  "a key for X25519": ["EdDSA", { kty: "OKP", crv: "X25519", x: "A".repeat(43) }],
  "a private key": ["ES256", EC_KEY.privateKey.export({ format: "jwk" })],
  "a symmetric key": ["RS256", { kty: "oct", k: "AAAA" }],
  "a key of an unknown type": ["RS256", { kty: "XYZ" }],
  "a key whose type is a number": ["RS256", { kty: 7 }],
  "a key for encryption": ["ES256", { ...EC_JWK, use: "enc" }],
  "a key of another algorithm": ["RS256", { ...RSA_JWK, alg: "RS512" }],
  "a key for an unknown operation": ["ES256", { ...EC_JWK, key_ops: ["verify", "sing"] }],
  "a key whose operations are text": ["ES256", { ...EC_JWK, key_ops: "verify" }],
  "a key whose ext is text": ["ES256", { ...EC_JWK, ext: "yes" }],
};

const pair = await generateKeyPair("ES256");
/** A second private key of the issuer, with which the tests sign any payload. */
const otherKey = pair.privateKey;
const unusable = Object.entries(UNUSABLE_KEYS).map(([kid, [, key]]) => ({ ...key, kid }));
const issuer = await startIssuer([{ ...(await exportJWK(pair.publicKey)), kid: "other" }, ...unusable]);
const server = await startTestServer("postgres", { auth: { keys: false, issuer: issuer.settings } });

afterAll(async () => {
  await server.stop();
  await issuer.stop();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Sends a request with a token. Returns "let in", or the reason and message of the error. */
async function outcomeOf(token: string): Promise<string> {
  const { listAccounts } = createJsonClient(server.url, createBearerHeaders(token));
  return listAccounts().then(
    () => "let in",
    (error) => `${error.refusal.reason}: ${error.refusal.message}`,
  );
}

/** Creates a verifier with an empty cache. */
function newVerifier(settings: Partial<IssuerSettings>) {
  return createAccessTokenVerifier(
    { ...issuer.settings, ...settings },
    createAccountDirectory(server.database.db),
    LOG,
  );
}

const NO_JWT =
  "ACCESS_TOKEN_INVALID: the access token is not valid, because it is not a JWT signed by the issuer: get a new token";

function invalid(problem: string): string {
  return `ACCESS_TOKEN_INVALID: the access token is not valid, because ${problem}: get a new token`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Signs a payload that need not be JSON. */
function signText(payload: string): Promise<string> {
  return new CompactSign(Buffer.from(payload)).setProtectedHeader({ alg: "ES256", kid: "other" }).sign(otherKey);
}

const badClaim = (claim: string) => invalid(`its ${claim} claim is missing or has a wrong value`);

const BAD_SUB = invalid("its sub claim is missing, is empty, is not text, or contains NUL or an unpaired surrogate");

describe("an access token", () => {
  test.each<[what: string, claims: () => JWTPayload, outcome: string]>([
    ["with valid claims", () => ({}), "let in"],
    ["for several services", () => ({ aud: ["another", ISSUER_AUDIENCE] }), "let in"],
    ["that expired within the allowed clock skew", () => ({ exp: inSeconds(-20) }), "let in"],
    ["that becomes valid within the allowed clock skew", () => ({ nbf: inSeconds(20) }), "let in"],
    ["that is not valid yet", () => ({ nbf: inSeconds(60) }), badClaim("nbf")],
    ["that never expires", () => ({ exp: undefined }), badClaim("exp")],
    ["for another service", () => ({ aud: "another" }), badClaim("aud")],
    ["without an audience", () => ({ aud: undefined }), badClaim("aud")],
    ["of another issuer", () => ({ iss: "https://login.example" }), badClaim("iss")],
    ["without an issuer", () => ({ iss: undefined }), badClaim("iss")],
    ["that names no account", () => ({ account: undefined }), invalid("its account claim does not name an account")],
    ["without a subject", () => ({ sub: undefined }), BAD_SUB],
    ["with an empty subject", () => ({ sub: "" }), BAD_SUB],
    ["whose subject is a number", () => ({ sub: 7 as never }), BAD_SUB],
    // If characters that PostgreSQL cannot store were replaced, different subjects would become equal.
    ["whose subject has a NUL", () => ({ sub: "alice\0" }), BAD_SUB],
    ["whose subject has an unpaired surrogate", () => ({ sub: "\ud800" }), BAD_SUB],
    ["with a nonce", () => ({ nonce: "n-0S6" }), invalid("it has the claim nonce, which only ID tokens have")],
    ["with a null nonce", () => ({ nonce: null }), invalid("it has the claim nonce, which only ID tokens have")],
    [
      "with a hash of another token",
      () => ({ at_hash: "x" }),
      invalid("it has the claim at_hash, which only ID tokens have"),
    ],
    [
      "without a scope of the service",
      () => ({ scope: "openid profile reader" }),
      "SCOPE_MISSING: the caller lacks the scope read: use a key or token that has it",
    ],
  ])("%s", async (_, claims, outcome) => {
    expect(await outcomeOf(await issuer.sign({ scope: "read", ...claims() }))).toBe(outcome);
  });

  test.each(["at+jwt", "application/at+jwt", "AT+JWT", "JWT", "jwt", "application/jwt"])(
    "is accepted with the type %s",
    async (typ) => {
      expect(await outcomeOf(await issuer.sign({ scope: "read" }, { typ }))).toBe("let in");
    },
  );

  test.each(["id_token", "logout+jwt", "dpop+jwt", "secevent+jwt", ""])("is rejected with the type %j", async (typ) => {
    expect(await outcomeOf(await issuer.sign({ scope: "read" }, { typ }))).toBe(
      invalid("its typ header is neither at+jwt nor JWT"),
    );
  });

  test("that has expired is rejected with its expiry time", async () => {
    const exp = inSeconds(-60);
    expect(await outcomeOf(await issuer.sign({ scope: "read", exp }))).toBe(
      `ACCESS_TOKEN_EXPIRED: the access token expired at ${new Date(exp * 1000).toISOString()}: get a new token`,
    );
  });

  test.each<[what: string, options: () => Promise<SigningOptions>]>([
    ["by another key with the same id", async () => ({ key: (await generateKeyPair("ES256")).privateKey })],
    ["by an unknown key", async () => ({ kid: "unknown" })],
    ["with a symmetric key", async () => ({ key: randomBytes(32), alg: "HS256" })],
    [
      "with the public key used as a symmetric key",
      async () => {
        const jwk = await exportJWK((await generateKeyPair("ES256", { extractable: true })).publicKey);
        return { key: createSecretKey(Buffer.from(JSON.stringify(jwk))) as never, alg: "HS256" };
      },
    ],
  ])("is rejected if it was signed %s", async (_, options) => {
    expect(await outcomeOf(await issuer.sign({ scope: "read" }, await options()))).toBe(NO_JWT);
  });

  test("is rejected if it is unsigned", async () => {
    const claims = {
      iss: issuer.settings.issuer,
      aud: ISSUER_AUDIENCE,
      exp: inSeconds(60),
      account: "*",
      scope: "admin",
    };
    expect(await outcomeOf(new UnsecuredJWT(claims).encode())).toBe(NO_JWT);
  });

  test.each(Object.entries(UNUSABLE_KEYS))("is rejected if its kid names %s", async (kid, [alg]) => {
    // The verifier looks up the key before it checks the signature, so the token needs no valid signature.
    const token = `${encode({ alg, kid })}.${encode({})}.AAAA`;
    const grpc = createGrpcClient(server.port, createBearerHeaders(token));
    for (let turn = 0; turn < 2; turn++) {
      expect(await outcomeOf(token)).toMatch(/^ACCESS_TOKEN_INVALID: /);
      expect(await requireRefusal(grpc.listAccounts())).toMatchObject({ status: "UNAUTHENTICATED" });
    }
    grpc.close();
    expect(await outcomeOf(await issuer.sign({ scope: "read" }))).toBe("let in");
  });

  test.each([
    ...["", "null", "7", "[]", "[[]]", '"ES256"', "{", `{"alg":"ES256"`, "[".repeat(5000), `{"a":`.repeat(1500)],
    ...["{}", '{"alg":null}', '{"alg":7}', '{"alg":["ES256"]}', '{"alg":{}}', '{"alg":"none"}', '{"alg":"__proto__"}'],
    ...["7", "null", "{}", '["other"]', '"__proto__"', '"\\ud800"'].map((kid) => `{"alg":"ES256","kid":${kid}}`),
    ...['["b64"],"b64":false', '["exp"]', "7", "[]", '["__proto__"]'].map(
      (crit) => `{"alg":"ES256","kid":"other","crit":${crit}}`,
    ),
    ...['{"alg":"ES256","kid":"other","typ":7}', '{"alg":"ES256","kid":"other","jwk":7,"x5c":{},"jku":"x"}'],
    '{"alg":"ES256","kid":"\xff"}',
  ])("is rejected with malformed header %#", async (header) => {
    const head = Buffer.from(header, "latin1").toString("base64url");
    expect(await outcomeOf(`${head}.${encode({})}.AAAA`), header).toMatch(/^ACCESS_TOKEN_INVALID: /);
  });

  test.each<[outcome: string, claims: readonly string[]]>([
    [
      "ACCESS_TOKEN_EXPIRED: the access token expired at 0001-01-01T00:00:00.000Z",
      ['"exp":-1e17', '"exp":-1e999', '"exp":-62135596801'],
    ],
    [
      "ACCESS_TOKEN_EXPIRED: the access token expired at 1970-01-01T00:00:00.000Z",
      ['"exp":0', '"exp":-0', '"exp":0.0000001'],
    ],
    [badClaim("exp"), ['"1"', '"NaN"', "null", "true", "[1]", "{}"].map((exp) => `"exp":${exp}`)],
    [badClaim("nbf"), ["1e17", "1e999", '"1"', "null", "true", "[1]", "{}"].map((nbf) => `"nbf":${nbf}`)],
    [badClaim("iat"), ['"1"', '"NaN"', "null", "true", "[1]", "{}"].map((iat) => `"iat":${iat}`)],
    [
      badClaim("aud"),
      ["7", "null", "{}", "[]", "[7]", '[["calltrack"]]', '{"calltrack":1}'].map((aud) => `"aud":${aud}`),
    ],
    [badClaim("iss"), ["7", "null", "{}", "[]"].map((iss) => `"iss":${iss}`)],
    [BAD_SUB, ["null", "{}", "[]", '{"toString":7}'].map((sub) => `"sub":${sub}`)],
    [
      invalid("its account claim does not name an account"),
      ["null", "true", "[]", '["acme"]', '{"toString":7}', '""', '"a\\u0000"', '"\\ud800"'].map(
        (account) => `"account":${account}`,
      ),
    ],
    [
      "SCOPE_MISSING",
      ['{"toString":7}', '{"toString":"read","valueOf":7}', "7", "null", '{"__proto__":["read"]}', "[[[]]]"].map(
        (scope) => `"scope":${scope}`,
      ),
    ],
    [
      "let in",
      [
        ...["1e17", "1e999", "253402300800", '1,"exp":253402300799'].map((exp) => `"exp":${exp}`),
        ...['"nbf":-1e17', '"nbf":-1e999', '"iat":-1e17', '"iat":1e999', '"aud":[7,null,{},"calltrack"]'],
        // No account has one of these tokens, so the account lists in the responses are empty.
        ...["-1", "1.5", "1e17", "1e999", `"${"a".repeat(5000)}"`].map((account) => `"account":${account}`),
        ...['"scope":["read",{"toString":7}]', '"__proto__":{"nonce":1},"constructor":7,"toString":7'],
      ],
    ],
  ])("with unusual claims: %s", async (outcome, list) => {
    const valid = { iss: issuer.settings.issuer, aud: ISSUER_AUDIENCE, sub: "x", account: "*", scope: "read" };
    const start = JSON.stringify({ ...valid, exp: inSeconds(60) }).slice(0, -1);
    for (const claims of list) {
      expect((await outcomeOf(await signText(`${start},${claims}}`))).slice(0, outcome.length), claims).toBe(outcome);
    }
  });

  test.each(["null", "7", "[]", '""', "", "{", "[".repeat(4000), `{"a":`.repeat(2000)])(
    "is rejected if its payload is no object %#",
    async (payload) => {
      expect(await outcomeOf(await signText(payload)), payload).toBe(NO_JWT);
    },
  );

  test("is rejected if it was altered or is malformed", async () => {
    const token = await issuer.sign({ scope: "read" });
    const [head, payload, signature] = token.split(".");
    const forged = Buffer.from(String(payload), "base64url").toString().replace('"read"', '"admin"');
    const other = `${head}.${Buffer.from(forged).toString("base64url")}.${signature}`;
    const malformed = [
      ...[
        "abc",
        "a.b.c",
        "ct_nothing",
        "e30.e30",
        "e30.e30.e30.e30",
        "..",
        ".e30.",
        "e30..",
        "====",
        "e30=.e30=.AAAA==",
      ],
      ...["e30.e30.A", "e3+/.e30.AAAA", "~.~.~", "-._.-", "e30.e30.====", "a".repeat(8000)],
    ];
    for (const text of [other, `${head}.${payload}.`, `${head}.${payload}`, ...malformed]) {
      expect(await outcomeOf(text), text).toMatch(/^(?:ACCESS_TOKEN_INVALID|UNAUTHENTICATED)/);
    }
  });
});

describe("the account of an access token", () => {
  test("is identified by its token or by its id", async () => {
    const admin = createJsonClient(server.url, createBearerHeaders(await issuer.sign({ scope: "admin" })));
    const mine = await newAccount(admin);
    await newAccount(admin);
    for (const account of [mine.account_token, String(mine.id), mine.id]) {
      const token = await issuer.sign({ scope: "read", account });
      expect((await createJsonClient(server.url, createBearerHeaders(token)).listAccounts()).entries).toEqual([mine]);
    }
  });

  test("may be created after the token", async () => {
    const account = uniqueToken();
    const client = createJsonClient(server.url, createBearerHeaders(await issuer.sign({ scope: "read", account })));
    expect((await client.listAccounts()).entries).toEqual([]);
    expect(await requireRefusal(client.listPools({ account_id: account }))).toMatchObject({
      reason: "ACCOUNT_NOT_FOUND",
    });
    const admin = createJsonClient(server.url, createBearerHeaders(await issuer.sign({ scope: "admin", account })));
    // In these requests, the account is optional. The principal must not get entries that belong to no account.
    for (const call of [admin.listAuditEntries, admin.listApiKeys, () => admin.createApiKey({ scopes: ["admin"] })])
      expect(await requireRefusal(call())).toMatchObject({ reason: "ACCOUNT_NOT_FOUND" });
    for (const name of ["0", "-1"]) {
      await insertAccount(server.database.db, name, TEST_ORIGIN);
      expect(await requireRefusal(admin.listPools({ account_id: name }))).toMatchObject({
        reason: "ACCOUNT_NOT_FOUND",
      });
    }
    await insertAccount(server.database.db, account, TEST_ORIGIN);
    expect((await client.listAccounts()).entries).toMatchObject([{ account_token: account }]);
    expect((await client.listPools({ account_id: account })).entries).toEqual([]);
  });
});

describe("the configured claims of an access token", () => {
  const verify = async (claims: JWTPayload, settings: Partial<IssuerSettings>) => {
    const { scopes, account } = await newVerifier(settings).verify(await issuer.sign(claims));
    return { scopes: [...scopes], account };
  };

  test.each<[claims: JWTPayload, settings: Partial<IssuerSettings>, scopes: readonly string[]]>([
    [{ scope: "write read" }, {}, ["read", "write"]],
    [{ scope: "" }, {}, []],
    [{ scope: ["dni", "admin", 7] }, {}, ["admin", "dni"]],
    [{ roles: ["calltrack:read", "other:write"] }, { scopeClaim: "roles" }, ["read"]],
    [{ scope: { read: true } }, {}, []],
    [{}, {}, []],
  ])("%o with the settings %o grants the scopes %o", async (claims, settings, scopes) => {
    expect((await verify(claims, settings)).scopes).toEqual(scopes);
  });

  test("every token has access to all accounts if no account claim is configured", async () => {
    expect((await verify({ scope: "read", account: "acme" }, { accountClaim: "" })).account).toBeUndefined();
    expect((await verify({ tenant: "acme" }, { accountClaim: "tenant" })).account).toMatchObject({ token: "acme" });
    await expect(verify({ tenant: "" }, { accountClaim: "tenant" })).rejects.toThrow(
      "its tenant claim does not name an account",
    );
  });
});

describe("the keys of the issuer", () => {
  const outcome = (verifying: Promise<unknown>) =>
    verifying.then(
      () => "let in",
      (error) => error.reason,
    );

  /** Advances `Date` and `performance.now()` without running timers. */
  const advanceClocks = (ms: number) => {
    const [now, since] = [Date.now(), performance.now()];
    vi.useFakeTimers({ toFake: ["Date", "performance"], now: now + ms });
    vi.spyOn(performance, "now").mockImplementation(() => since + ms);
  };

  afterEach(() => {
    vi.restoreAllMocks();
  });

  test("are fetched once, and again for a token with a new key", async () => {
    await using own = await startIssuer();
    const verifier = newVerifier(own.settings);
    for (let count = 0; count < 5; count++) await verifier.verify(await own.sign({ jti: String(count) }));
    expect(own.keyRequests).toBe(1);
    await own.rotateKey();
    advanceClocks(31_000);
    await verifier.verify(await own.sign({}));
    expect(own.keyRequests).toBe(2);
  });

  test("are not fetched again for each token with an invented key", async () => {
    await using own = await startIssuer();
    const verifier = newVerifier(own.settings);
    for (let count = 0; count < 20; count++) {
      const token = await own.sign({}, { kid: `made-up-${count}` });
      expect(await outcome(verifier.verify(token))).toBe("ACCESS_TOKEN_INVALID");
    }
    expect(own.keyRequests).toBe(1);
  });

  test("are rejected soon after the issuer has withdrawn them", async () => {
    await using own = await startIssuer();
    const verifier = newVerifier(own.settings);
    await verifier.verify(await own.sign({}));
    const withdrawn = await own.rotateKey();
    // Uses a new token each time, because the verifier caches accepted tokens.
    const verifyWithdrawn = async () =>
      outcome(verifier.verify(await own.sign({ jti: randomUUID(), exp: inSeconds(86_400) }, withdrawn)));
    advanceClocks(600_000);
    expect(await verifyWithdrawn()).toBe("let in");
    await expect.poll(() => own.keyRequests).toBe(2);
    await expect.poll(verifyWithdrawn).toBe("ACCESS_TOKEN_INVALID");
  });

  test("verify a cached token again after the clock was set back", async () => {
    await using own = await startIssuer();
    const verifier = newVerifier(own.settings);
    const token = await own.sign({ nbf: inSeconds(-60), exp: inSeconds(86_400) });
    expect(await outcome(verifier.verify(token))).toBe("let in");
    advanceClocks(-3_600_000);
    expect(await outcome(verifier.verify(token))).toBe("ACCESS_TOKEN_INVALID");
  });

  test("are used from the cache while the issuer is unavailable", async () => {
    await using own = await startIssuer();
    const verifier = newVerifier(own.settings);
    const later = { exp: inSeconds(86_400) };
    const tokens = [
      await own.sign(later),
      await own.sign({ ...later, jti: "2" }),
      await own.sign({ ...later, jti: "3" }),
    ];
    await verifier.verify(String(tokens[0]));
    await own.stop();
    advanceClocks(3_600_000);
    expect(await outcome(verifier.verify(String(tokens[1])))).toBe("let in");
    expect(await outcome(verifier.verify(String(tokens[2])))).toBe("let in");
  });

  test("are fetched as soon as the issuer is up, if it starts after the service", async () => {
    await using own = await startIssuer();
    const token = await own.sign({});
    await own.stop();
    const verifier = newVerifier(own.settings);
    expect(await outcome(verifier.verify(token))).toBe("ISSUER_UNAVAILABLE");
    await own.start();
    await expect.poll(() => outcome(verifier.verify(token))).toBe("let in");
  });

  test("are rejected if the discovery document names another issuer", async () => {
    const verifier = newVerifier({ issuer: issuer.settings.issuer.replace("127.0.0.1", "localhost") });
    const { discoveryRequests } = issuer;
    for (let turn = 0; turn < 5; turn++)
      expect(await outcome(verifier.verify(await issuer.sign({})))).toBe("ISSUER_UNAVAILABLE");
    // The first invalid document starts the retry delay, so the other attempts send no request.
    expect(issuer.discoveryRequests).toBe(discoveryRequests + 1);
  });
});
