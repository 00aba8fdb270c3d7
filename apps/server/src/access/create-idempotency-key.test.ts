import type { JsonObject } from "@bufbuild/protobuf";
import type { PrincipalIdentity } from "@calltrack/domain";
import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { ApiKeyService } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { createContextValues } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { ABSENT_ACCOUNT_ID, type IdempotencyKey } from "../database/idempotency/idempotency-key.js";
import { createIdempotencyKey } from "./create-idempotency-key.js";
import { principalContextKey } from "./principal-context.js";

const { createAccount } = AccountService.method;
const { createApiKey } = ApiKeyService.method;

const REQUEST: JsonObject = { accountToken: "acme", requestId: "one" };

const ALICE: PrincipalIdentity = { kind: "access_token", issuer: "https://login.example.com", subject: "alice" };

function valuesOf(actor: PrincipalIdentity) {
  return createContextValues().set(principalContextKey, { actor, scopes: new Set<never>(), account: undefined });
}

function keyOf(
  requestId: string,
  { actor = ALICE, request = REQUEST, accountId = ABSENT_ACCOUNT_ID } = {},
): IdempotencyKey {
  return createIdempotencyKey(
    requestId,
    () => request,
    { method: createAccount, values: valuesOf(actor) },
    accountId,
  ) as IdempotencyKey;
}

test("a request without an id has no key", () => {
  expect(
    createIdempotencyKey(undefined, () => REQUEST, { method: createAccount, values: valuesOf(ALICE) }, 1),
  ).toBeUndefined();
});

test("a retry has the same key, whatever the spelling of its id", () => {
  const quoted = { ...REQUEST, requestId: '"one"' };
  expect(keyOf("one", { request: quoted })).toEqual(keyOf("one"));
});

test.each<[what: string, other: IdempotencyKey]>([
  ["id", keyOf("another")],
  ["subject", keyOf("one", { actor: { ...ALICE, subject: "bob" } })],
  ["issuer", keyOf("one", { actor: { ...ALICE, issuer: "https://login.example.org" } })],
  ["kind of caller", keyOf("one", { actor: { kind: "client_certificate", name: "alice" } })],
])("a request with another %s has another key hash", (_, other) => {
  expect(other.keyHash).not.toEqual(keyOf("one").keyHash);
});

test("the key contains the account", () => {
  expect([keyOf("one").accountId, keyOf("one", { accountId: 7 }).accountId]).toEqual([ABSENT_ACCOUNT_ID, 7]);
});

test("a changed request has another request hash", () => {
  const changed = { ...REQUEST, accountToken: "other" };
  expect(keyOf("one", { request: changed }).requestHash).not.toEqual(keyOf("one").requestHash);
});

test("requests of two methods with the same fields have different request hashes", () => {
  const values = valuesOf(ALICE);
  const account = createIdempotencyKey("one", () => ({}), { method: createAccount, values }, 1);
  const apiKey = createIdempotencyKey("one", () => ({}), { method: createApiKey, values }, 1);
  expect(apiKey?.keyHash).toEqual(account?.keyHash);
  expect(apiKey?.requestHash).not.toEqual(account?.requestHash);
});
