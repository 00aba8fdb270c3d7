import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { parseListAuditEntriesRequest } from "./audit.js";
import { ListAuditEntriesRequestSchema } from "./gen/calltracking/v1/audit_pb.js";

type Request = MessageInitShape<typeof ListAuditEntriesRequestSchema>;

const parse = (request: Request) => parseListAuditEntriesRequest(create(ListAuditEntriesRequestSchema, request));

test("defaults to the newest 1000 entries that belong to no account", () => {
  expect(parse({})).toEqual({
    account: undefined,
    filter: { resourceId: undefined, actorId: undefined, since: undefined, until: undefined },
    page: { size: 1000, token: undefined },
  });
});

test("converts UUIDs to lower case and keeps other ids", () => {
  const [since, until] = [new Date("2026-11-21T12:00:00.001Z"), new Date(0)];
  const id = "019AA351-7B0C-7D2E-8F43-5A6B7C8D9E0F";
  const times = { since: timestampFromDate(since), until: timestampFromDate(until) };
  expect(parse({ accountId: "7", resourceId: id, actorId: "Alice", ...times, pageSize: 2, pageToken: "x" })).toEqual({
    account: "7",
    filter: { resourceId: id.toLowerCase(), actorId: "Alice", since, until },
    page: { size: 2, token: "x" },
  });
});

test.each<[Request, string]>([
  [{ accountId: "" }, "account_id must not be empty"],
  [{ resourceId: "a\0" }, "resource_id must not contain a NUL character"],
  [{ actorId: "\ud800" }, "actor_id must be well-formed Unicode"],
  [{ since: { seconds: -1n } }, "since must be between the years 1970 and 9999"],
  [{ until: { seconds: 253_402_300_800n } }, "until must be between the years 1970 and 9999"],
  [{ until: { seconds: 2n ** 62n } }, "until must be between the years 1970 and 9999"],
  [{ resourceId: "", pageSize: 0 }, "resource_id must not be empty; page_size must be at least 1"],
])("rejects %o: %s", (request, message) => {
  expect(() => parse(request)).toThrow(message);
});
