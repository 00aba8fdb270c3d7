import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { parseApiKeyId, parseCreateApiKeyRequest, parseListApiKeysRequest } from "./api-key.js";
import {
  ApiKeyScope,
  CreateApiKeyRequestSchema,
  GetApiKeyRequestSchema,
  ListApiKeysRequestSchema,
} from "./gen/calltracking/v1/api_key_pb.js";

const NOW = new Date("2026-11-21T12:00:00Z");

function parse(request: MessageInitShape<typeof CreateApiKeyRequestSchema>) {
  return parseCreateApiKeyRequest(create(CreateApiKeyRequestSchema, request), NOW);
}

const SCOPES = [ApiKeyScope.READ];

test("parses all fields and removes duplicate scopes", () => {
  const expiresAt = new Date("2026-11-21T12:00:00.001Z");
  expect(
    parse({
      scopes: [ApiKeyScope.DNI, ApiKeyScope.READ, ApiKeyScope.DNI, ApiKeyScope.WRITE, ApiKeyScope.ADMIN],
      accountId: "acme",
      description: "",
      expiresAt: timestampFromDate(expiresAt),
    }),
  ).toEqual({ scopes: ["dni", "read", "write", "admin"], account: "acme", description: "", expiresAt });
  const bare = { scopes: ["read"], account: undefined, description: undefined, expiresAt: undefined };
  expect(parse({ scopes: SCOPES })).toEqual(bare);
});

test.each<[MessageInitShape<typeof CreateApiKeyRequestSchema>, string]>([
  [{}, "scopes must contain at least one scope"],
  [{ scopes: [ApiKeyScope.READ, ApiKeyScope.UNSPECIFIED] }, "scopes[1] must be read, write, admin, dni or calls"],
  [{ scopes: [9 as ApiKeyScope] }, "scopes[0] must be read, write, admin, dni or calls"],
  [{ scopes: SCOPES, accountId: "" }, "account_id must not be empty"],
  [{ scopes: SCOPES, accountId: "a\0" }, "account_id must not contain a NUL character"],
  [{ scopes: SCOPES, description: "x".repeat(1001) }, "description must have at most 1000 characters"],
  [{ scopes: SCOPES, expiresAt: timestampFromDate(NOW) }, "expires_at must be in the future"],
  [{ scopes: SCOPES, expiresAt: { seconds: 253_402_300_800n } }, "expires_at must be a time before the year 10000"],
  [{ scopes: SCOPES, expiresAt: { seconds: 2n ** 62n } }, "expires_at must be a time before the year 10000"],
  [
    { accountId: "", expiresAt: {} },
    "scopes must contain at least one scope; expires_at must be in the future; account_id must not be empty",
  ],
])("rejects %o: %s", (request, message) => {
  expect(() => parse(request)).toThrow(message);
});

test("reads the id of a key", () => {
  expect(parseApiKeyId(create(GetApiKeyRequestSchema, { apiKeyId: "x" }))).toEqual({ apiKeyId: "x" });
  expect(() => parseApiKeyId(create(GetApiKeyRequestSchema))).toThrow("api_key_id is required");
});

test("lists all keys, or those of an account", () => {
  const page = { size: 2, token: undefined };
  expect(parseListApiKeysRequest(create(ListApiKeysRequestSchema, { pageSize: 2 }))).toEqual({
    account: undefined,
    page,
  });
  expect(() => parseListApiKeysRequest(create(ListApiKeysRequestSchema, { accountId: "", pageSize: 0 }))).toThrow(
    "account_id must not be empty; page_size must be at least 1",
  );
});
