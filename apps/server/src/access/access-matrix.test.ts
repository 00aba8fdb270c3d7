import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { API_SERVICES, type ApiMethods } from "@calltrack/domain";
import { afterAll, expect, test } from "vitest";
import { requireMethodAccessRule } from "../api/method-catalog.js";
import type { RequestFields } from "../testing/api-client.js";
import { type CallOutcome, callGrpc, callJson } from "../testing/call-method.js";
import type { Certificate } from "../testing/certificate.js";
import { createBearerHeaders, createTestAdminKey, createTestApiKey } from "../testing/credentials.js";
import { createGrpcConnection } from "../testing/grpc-client.js";
import { startIssuer } from "../testing/issuer.js";
import { createJsonClient, findEndpoint } from "../testing/json-client.js";
import { uniqueToken } from "../testing/request-fields.js";
import {
  newSampleAccount,
  newWebhookEndpoint,
  type SampleAccount,
  sampleRequests,
} from "../testing/sample-requests.js";
import { startTestServer } from "../testing/test-server.js";
import { createTlsFiles } from "../testing/tls-files.js";
import { openTlsSidecar } from "../testing/tls-sidecar.js";
import { generateApiKey } from "./api-key-format.js";

const METHODS: readonly DescMethod[] = API_SERVICES.flatMap(({ methods }) => methods);

const SCOPES = ["read", "write", "dni", "calls", "admin"] as const;

/** A kind of API client, and the account that its requests name. */
interface Caller {
  readonly group: string;
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly about: SampleAccount;
  /** The TLS connection to use. Default: one without a client certificate. */
  readonly connection?: Connection;
}

/** A TLS connection to the server. */
type Connection = Awaited<ReturnType<typeof openConnection>>;

/** Whether requests for a method name an account that only the clients of that account may access. */
function namesPrivateAccount(method: DescMethod): boolean {
  return (
    requireMethodAccessRule(method) !== "public" &&
    method.input.fields.some(({ name }) => /^(?:account_)?id$/.test(name))
  );
}

/** Names of access tokens that are rejected. */
const REFUSED_TOKENS: ReadonlySet<string> = new Set(["expired", "audience", "signer"]);

const OUTCOME_LABELS: Readonly<Record<string, string>> = {
  OK: "ok",
  UNAUTHENTICATED: "401",
  PERMISSION_DENIED: "403",
  NOT_FOUND: "404",
};

const resources = new AsyncDisposableStack();
const issuer = resources.use(await startIssuer());
const { certificate: pair, authority, names } = await createTlsFiles();
const byName = new Map(SCOPES.map((scope) => [scope, new Set([scope])]));
const server = await startTestServer("postgres", {
  auth: { keys: true, issuer: issuer.settings, certificates: { byName, others: new Set() } },
  tls: names,
  hasVirtualClock: true,
});
resources.defer(() => server.stop());
const plainConnection = await openConnection();
const adminKey = await createTestAdminKey(server.database);
const api = createJsonClient(plainConnection.url, createBearerHeaders(adminKey));
const newKey = async (fields: RequestFields) => (await api.createApiKey(fields)).key;
const own = await newSampleAccount(api, server);
const other = await newSampleAccount(api, server);
const spares = new Map<string, RequestFields>();
const groups = [listUnauthenticated(), listKeyHolders(), listTokenHolders(), listCertificateHolders()];
const callers = (await Promise.all(groups)).flat();
const stranger = callers.find(({ group, name }) => group === "another account's key" && name === "admin");
const strangerHeaders = stranger?.headers ?? {};

afterAll(() => resources.disposeAsync());

async function openConnection(certificate?: Certificate) {
  const { port, close } = await openTlsSidecar(server.port, { ca: pair.cert, ...certificate });
  const client = createGrpcConnection(port);
  resources.defer(() => {
    client.close();
    return close();
  });
  return { url: `http://127.0.0.1:${port}`, client };
}

async function listUnauthenticated(): Promise<readonly Caller[]> {
  const { key: revoked, api_key } = await api.createApiKey({ scopes: ["admin"] });
  await api.revokeApiKey({ api_key_id: api_key.id });
  const expired = await createTestApiKey(server.database, "admin", new Date(Date.now() - 1000));
  const headers = {
    none: {},
    "made-up": createBearerHeaders(generateApiKey().key),
    expired: createBearerHeaders(expired.key),
    revoked: createBearerHeaders(revoked),
  };
  return Object.entries(headers).map(([name, each]) => ({ group: "no key", name, headers: each, about: own }));
}

async function listKeyHolders(): Promise<readonly Caller[]> {
  const list: Caller[] = [];
  for (const [group, account, about] of [
    ["any key", undefined, own],
    ["key of the account", own, own],
    ["another account's key", own, other],
  ] as const) {
    for (const scope of SCOPES) {
      const key = await newKey({ scopes: [scope], ...(account && { account_id: account.token }) });
      list.push({ group, name: scope, headers: createBearerHeaders(key), about });
    }
  }
  return list;
}

async function listTokenHolders(): Promise<readonly Caller[]> {
  const stranger = await startIssuer();
  const tokens = {
    read: issuer.sign({ scope: "openid read" }),
    admin: issuer.sign({ scope: "admin" }),
    own: issuer.sign({ scope: "admin", account: own.token }),
    others: issuer.sign({ scope: "admin", account: String(other.id) }),
    "no-scope": issuer.sign({ scope: "openid" }),
    expired: issuer.sign({ scope: "admin", exp: Math.floor(Date.now() / 1000) - 60 }),
    audience: issuer.sign({ scope: "admin", aud: "another-service" }),
    signer: stranger.sign({ scope: "admin", iss: issuer.settings.issuer }),
  };
  const list: Caller[] = [];
  for (const [name, token] of Object.entries(tokens)) {
    list.push({ group: "access token", name, headers: createBearerHeaders(await token), about: own });
  }
  await stranger.stop();
  return list;
}

function listCertificateHolders(): Promise<readonly Caller[]> {
  return Promise.all(
    [...SCOPES, "unlisted"].map(async (name) => {
      const connection = await openConnection(await authority.issue({ subject: `CN=${name}` }));
      return { group: "client certificate", name, headers: {}, about: own, connection };
    }),
  );
}

const requestOf = (method: DescMethod, about: SampleAccount) =>
  sampleRequests[method.localName as keyof ApiMethods](about);

/** Returns a webhook endpoint that the next client can try to delete: the previous one if it still exists, otherwise a new one. */
async function ensureSpareEndpoint({ token, spareWebhookEndpoint }: SampleAccount): Promise<RequestFields> {
  const last = spares.get(token) ?? spareWebhookEndpoint;
  const isThere = await api.getWebhookEndpoint(last).then(
    () => true,
    () => false,
  );
  const spare = isThere ? last : await newWebhookEndpoint(api, token);
  spares.set(token, spare);
  return spare;
}

const GROUPS = [...new Set(callers.map(({ group }) => group))];
const NAME_WIDTH = Math.max(...METHODS.map(({ name }) => name.length)) + 1;
const inGroup = (group: string) => callers.filter((caller) => caller.group === group);
const widthOf = ({ name }: Caller) => Math.max(name.length, 4) + 1;

function formatLine(first: string, cellsOf: (group: string) => string): string {
  return [first.padEnd(NAME_WIDTH), ...GROUPS.map(cellsOf)].join("| ").trimEnd();
}

function formatRow(first: string, textOf: (caller: Caller) => string): string {
  return formatLine(first, (group) =>
    inGroup(group).reduce((text, caller) => text + textOf(caller).padEnd(widthOf(caller)), ""),
  );
}

/** Sends a request for a method as every client, and formats the outcomes as a row of the matrix. */
async function readRow(
  method: DescMethod,
  call: (
    connection: Connection,
    request: RequestFields,
    headers: Caller["headers"],
  ) => Promise<CallOutcome | undefined>,
): Promise<string> {
  const outcomes = new Map<Caller, string>();
  const callAs = async (caller: Caller) => {
    const { connection = plainConnection, about, headers } = caller;
    const deletes = method.name === "DeleteWebhookEndpoint";
    const request = deletes ? await ensureSpareEndpoint(about) : requestOf(method, about);
    const { status = "" } = (await call(connection, request, headers)) ?? {};
    outcomes.set(caller, OUTCOME_LABELS[status] ?? status);
  };
  // Only reads run concurrently. Changes depend on each other, and a watch has little time to get its first message.
  const isConcurrent = method.methodKind === "unary" && method.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS;
  if (isConcurrent) await Promise.all(callers.map(callAs));
  else for (const caller of callers) await callAs(caller);
  return formatRow(method.name, (caller) => outcomes.get(caller) ?? "");
}

test("matches the recorded matrix over gRPC, and over JSON for one method of each class", async () => {
  const width = (group: string) => inGroup(group).reduce((sum, caller) => sum + widthOf(caller), 0);
  const lines = [formatLine("", (group) => group.padEnd(width(group))), formatRow("method", ({ name }) => name)];
  /** One method for each distinct row of outcomes, keyed by the row's text. */
  const classes = new Map<string, readonly [method: DescMethod, row: string]>();
  for (const method of METHODS) {
    const row = await readRow(method, ({ client }, ...call) => callGrpc(client, method, ...call));
    lines.push(row);
    if (findEndpoint(method.localName) !== undefined) classes.set(row.slice(NAME_WIDTH), [method, row]);
  }
  console.log(lines.join("\n"));
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("access-matrix.txt");
  expect(classes.size).toBeGreaterThan(10);
  for (const [method, row] of classes.values()) {
    expect(await readRow(method, ({ url }, ...call) => callJson(url, method, ...call))).toBe(row);
  }
});

test.each(METHODS.filter(namesPrivateAccount))(
  "$name answers a caller of another account byte for byte as if that did not exist, by token and by id",
  async (method) => {
    const nobody = { ...other, id: 2_000_000_000, token: uniqueToken("nobody") };
    const byId = (account: SampleAccount) => ({ ...account, token: String(account.id) });
    for (const [theirs, nobodys] of [
      [other, nobody],
      [byId(other), byId(nobody)],
    ] as const) {
      const rename = (request: RequestFields, account: SampleAccount) =>
        "account_id" in request ? { ...request, account_id: account.token } : { ...request, id: account.id };
      const answers = async (account: SampleAccount) => {
        const request = rename(requestOf(method, other), account);
        const name = "account_id" in request ? account.token : String(account.id);
        const over = [await callJson(plainConnection.url, method, request, strangerHeaders)];
        over.push(await callGrpc(plainConnection.client, method, request, strangerHeaders));
        return JSON.stringify(over).replaceAll(name, "NAME");
      };
      const answer = await answers(theirs);
      expect(answer).toContain("NOT_FOUND");
      expect(answer).toBe(await answers(nobodys));
    }
  },
);

test("a malformed request does not reveal another account's pool", async () => {
  const automanaged = { pool_type: "automanaged", property_token: "shop", utilization: 0.5 };
  const { id } = await api.createPool({ ...sampleRequests.createPool(other), ...automanaged });
  const update = METHODS.find(({ name }) => name === "UpdatePool") as DescMethod;
  const answers = await Promise.all(
    [id, other.pool.pool_id, "nothing"].map((pool_id) => {
      const request = { ...other.pool, pool_id, size: "x", utilization: 2 };
      return callJson(plainConnection.url, update, request, strangerHeaders);
    }),
  );
  expect(answers[0]?.status).toBe("NOT_FOUND");
  for (const answer of answers) expect(answer).toEqual(answers[0]);
});

test("WhoAmI describes each caller", async () => {
  const kinds: Readonly<Record<string, string>> = {
    "access token": "access_token",
    "client certificate": "client_certificate",
  };
  const withoutScope = new Set(["no-scope", "unlisted"]);
  const accepted = callers.filter(({ group, name }) => group !== "no key" && !REFUSED_TOKENS.has(name));
  expect(accepted.length).toBeGreaterThan(20);
  for (const { group, name, headers, connection = plainConnection } of accepted) {
    const bound = { "key of the account": own, "another account's key": own }[group];
    const account = bound ?? { own, others: other }[name];
    const me = await createJsonClient(connection.url, headers).whoAmI();
    expect(me, `${group}: ${name}`).toEqual({
      credential: kinds[group] ?? "api_key",
      id: expect.any(String),
      description: null,
      issuer: group === "access token" ? issuer.settings.issuer : null,
      scopes: withoutScope.has(name) ? [] : [/^own|^others/.test(name) ? "admin" : name],
      account_token: account?.token ?? null,
      expires_at: group === "access token" ? expect.stringMatching(/^2\d{3}-.*Z$/) : null,
    });
  }
});

test("WhoAmI returns the description and the expiry of a key", async () => {
  const fields = { description: "the <b>switch</b>", expires_at: "2100-01-01T00:00:00.123Z" };
  const made = await api.createApiKey({ scopes: ["calls", "read", "read"], account_id: own.token, ...fields });
  expect(await createJsonClient(plainConnection.url, createBearerHeaders(made.key)).whoAmI()).toEqual({
    ...{ credential: "api_key", id: made.api_key.id, issuer: null, scopes: ["read", "calls"] },
    ...{ account_token: own.token, ...fields },
  });
});

test("lists show a bound caller only the resources of its account", async () => {
  const key = await newKey({ scopes: ["admin"], account_id: own.token });
  const bound = createJsonClient(plainConnection.url, createBearerHeaders(key));
  const accounts = await bound.listAccounts();
  expect(accounts.entries.map(({ id }) => id)).toEqual([own.id]);
  expect((await bound.listAccounts({ page_size: 1 })).nextPageToken).toBe("");
  expect((await api.listAccounts({ page_size: 1 })).entries).toHaveLength(1);
  const keys = (await bound.listApiKeys()).entries;
  expect(new Set(keys.map(({ account_token }) => account_token))).toEqual(new Set([own.token]));
  expect((await bound.createApiKey({ scopes: ["admin"] })).api_key.account_token).toBe(own.token);
});
