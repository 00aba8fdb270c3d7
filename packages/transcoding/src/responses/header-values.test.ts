import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { HttpBodySchema } from "../gen/google/api/httpbody_pb.js";
import { BookSchema } from "../gen/library/v1/library_pb.js";
import { textToHeaderValue } from "../http/response-headers.js";
import { buildService, httpGet } from "../testing/build-service.js";
import { HANDLER_TEXTS, HEADER_TEXTS, SENDABLE_HEADER_VALUE_PATTERN } from "../testing/header-texts.js";
import { testRuntimes } from "../testing/test-runtime.js";
import { createTranscoder } from "../transcoder/transcoder.js";

const SERVICE = buildService("Headers", {
  Get: {
    http: httpGet("/v1/book"),
    response: {
      location: "/v1/books/{id}",
      headers: [
        { name: "Content-Disposition", field: "title" },
        { name: "ETag", field: "author.full_name" },
      ],
      links: [{ rel: "next", parameter: "id", field: "id" }],
    },
  },
  GetFile: { http: httpGet("/v1/file"), output: HttpBodySchema },
  StreamFile: { http: httpGet("/v1/stream"), output: HttpBodySchema, serverStreaming: true },
});

test.each(["", "a", "a b", '"a"', "50%"])("leaves %j unchanged", (text) => {
  expect(textToHeaderValue(text)).toBe(text);
});

test.each([
  [" ", "%20"],
  ["  a  ", "%20 a %20"],
  ["\t\r\n\0\x7f", "%09%0D%0A%00%7F"],
  ["é€😀", "%C3%A9%E2%82%AC%F0%9F%98%80"],
  ["\ud800", "%EF%BF%BD"],
])("encodes %j as %s", (text, value) => {
  expect(textToHeaderValue(text)).toBe(value);
});

test("encodes every character to a value that can be sent", () => {
  for (let code = 0; code <= 0x1ff; code++) {
    for (const text of [String.fromCharCode(code), `a${String.fromCharCode(code)} `])
      expect(SENDABLE_HEADER_VALUE_PATTERN.test(textToHeaderValue(text)), JSON.stringify(text)).toBe(true);
  }
});

describe.each(testRuntimes)("over $name", ({ serve }) => {
  test("rule 15: sends every value that a handler sets", async () => {
    let text = "";
    const set = ({ responseHeader, responseTrailer }: HandlerContext) => {
      responseHeader.set("x-header", text);
      responseTrailer.set("x-trailer", text);
    };
    const transcoder = createTranscoder({
      routes: (router) =>
        router.service(SERVICE, {
          get: (_: unknown, context: HandlerContext) => {
            set(context);
            return {};
          },
          getFile: (_: unknown, context: HandlerContext) => {
            set(context);
            throw new ConnectError("no", Code.NotFound, { "x-error": text });
          },
          async *streamFile(_: unknown, context: HandlerContext) {
            set(context);
            yield {};
          },
        } as never),
    });
    await using server = await serve(transcoder);
    for (text of HANDLER_TEXTS) {
      for (const [target, status, ...names] of [
        ["/v1/book", 200, "x-header", "x-trailer"],
        ["/v1/file", 404, "x-header", "x-trailer", "x-error"],
        ["/v1/stream", 200, "x-header"],
      ] as const) {
        const response = await server.send({ target });
        expect(response.status, JSON.stringify(text)).toBe(status);
        for (const name of names)
          expect(response.headers[name], `${name} of ${JSON.stringify(text)}`).toMatch(SENDABLE_HEADER_VALUE_PATTERN);
      }
    }
  });

  test("rule 18: sends every text of a response in its headers", async () => {
    let text = "";
    const file = () => create(HttpBodySchema, { contentType: text });
    const transcoder = createTranscoder({
      routes: (router) =>
        router.service(SERVICE, {
          get: () => create(BookSchema, { id: text, title: text, author: { fullName: text } }),
          getFile: file,
          async *streamFile() {
            yield file();
          },
        } as never),
    });
    await using server = await serve(transcoder);
    for (text of HEADER_TEXTS) {
      for (const [target, ...names] of [
        ["/v1/book", "location", "content-disposition", "etag", "link"],
        ["/v1/file", "content-type"],
        ["/v1/stream", "content-type"],
      ] as const) {
        const { status, headers } = await server.send({ target });
        expect(status, JSON.stringify(text)).toBe(200);
        for (const name of names)
          expect(headers[name], `${name} of ${JSON.stringify(text)}`).toMatch(SENDABLE_HEADER_VALUE_PATTERN);
      }
    }
  });
});
