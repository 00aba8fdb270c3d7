import type { JsonObject } from "@bufbuild/protobuf";
import type { Actor } from "@calltrack/domain";
import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { ApiKeyService } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { createContextValues } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { NO_ACCOUNT, type RequestKey } from "../database/idempotency/request-key.js";
import { createRequestKey } from "./create-request-key.js";
import { principalKey } from "./principal-context.js";

const { createAccount } = AccountService.method;
const { createApiKey } = ApiKeyService.method;

const REQUEST: JsonObject = { accountToken: "acme", requestId: "one" };

const ALICE: Actor = { kind: "access_token", issuer: "https://login.example.com", subject: "alice" };

function valuesOf(actor: Actor) {
  return createContextValues().set(principalKey, { actor, scopes: new Set<never>(), account: undefined });
}

function keyOf(requestId: string, { actor = ALICE, request = REQUEST, accountId = NO_ACCOUNT } = {}): RequestKey {
  return createRequestKey(
    requestId,
    () => request,
    { method: createAccount, values: valuesOf(actor) },
    accountId,
  ) as RequestKey;
}

test("a request without an id has no key", () => {
  expect(
    createRequestKey(undefined, () => REQUEST, { method: createAccount, values: valuesOf(ALICE) }, 1),
  ).toBeUndefined();
});

test("a retry has the same key, whatever the spelling of its id", () => {
  const quoted = { ...REQUEST, requestId: '"one"' };
  expect(keyOf("one", { request: quoted })).toEqual(keyOf("one"));
});

test.each<[what: string, other: RequestKey]>([
  ["id", keyOf("another")],
  ["subject", keyOf("one", { actor: { ...ALICE, subject: "bob" } })],
  ["issuer", keyOf("one", { actor: { ...ALICE, issuer: "https://login.example.org" } })],
  ["kind of caller", keyOf("one", { actor: { kind: "client_certificate", name: "alice" } })],
])("a request with another %s has another key hash", (_, other) => {
  expect(other.keyHash).not.toEqual(keyOf("one").keyHash);
});

test("the key contains the account", () => {
  expect([keyOf("one").accountId, keyOf("one", { accountId: 7 }).accountId]).toEqual([NO_ACCOUNT, 7]);
});

test("a changed request has another request hash", () => {
  const changed = { ...REQUEST, accountToken: "other" };
  expect(keyOf("one", { request: changed }).requestHash).not.toEqual(keyOf("one").requestHash);
});

test("requests of two methods with the same fields have different request hashes", () => {
  const values = valuesOf(ALICE);
  const account = createRequestKey("one", () => ({}), { method: createAccount, values }, 1);
  const apiKey = createRequestKey("one", () => ({}), { method: createApiKey, values }, 1);
  expect(apiKey?.keyHash).toEqual(account?.keyHash);
  expect(apiKey?.requestHash).not.toEqual(account?.requestHash);
});
