import { expect, test } from "vitest";
import { ListShelvesRequestSchema, ListShelvesResponseSchema } from "../gen/library/v1/library_pb.js";
import { buildService, httpGet, httpPost, type TestRpc } from "../testing/build-service.js";
import { readHttpRules } from "./read-http-rules.js";

const LIST: TestRpc = { input: ListShelvesRequestSchema, output: ListShelvesResponseSchema };
const BARE = { ...httpGet("/v1/shelves"), responseBody: "shelves" };
const IMPLIED = { headers: ["X-Next-Page-Token"], links: ["next"] };
const NONE = { headers: [], links: [] };

test.each<[kind: string, rpc: TestRpc, expected: typeof IMPLIED]>([
  ["a bare list", { ...LIST, http: BARE }, IMPLIED],
  [
    "a bare list with another header",
    { ...LIST, http: BARE, response: { headers: [{ name: "X-Total-Size", field: "total_size" }] } },
    { ...IMPLIED, headers: ["X-Next-Page-Token", "X-Total-Size"] },
  ],
  [
    "a bare list that names the header itself",
    { ...LIST, http: BARE, response: { headers: [{ name: "X-Cursor", field: "next_page_token" }] } },
    { headers: ["X-Cursor"], links: [] },
  ],
  ["a list whose body has the token", { ...LIST, http: httpGet("/v1/shelves") }, NONE],
  ["a search by POST", { ...LIST, http: { ...httpPost("/v1/shelves:search", "*"), responseBody: "shelves" } }, NONE],
  ["a stream of pages", { ...LIST, http: BARE, serverStreaming: true }, NONE],
  ["a method without pages", { http: httpGet("/v1/{name}") }, NONE],
])("rule 18: adds the headers of a page to %s only if its body cannot contain the token", (_, rpc, expected) => {
  const [rule] = readHttpRules([buildService("Library", { List: rpc })]);
  const { headers = [], links = [] } = rule?.response ?? {};
  expect({ headers: headers.map(({ name }) => name), links: links.map(({ rel }) => rel) }).toEqual(expected);
});
