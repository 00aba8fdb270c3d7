import { describe, expect, test } from "vitest";
import { ListBooksRequestSchema, ListBooksResponseSchema } from "../gen/library/v1/library_pb.js";
import { buildService, httpGet } from "../testing/build-service.js";
import type { LibraryMethods } from "../testing/library.js";
import { type TestRequest, testRuntimes } from "../testing/test-runtime.js";
import { createTranscoder } from "../transcoder/transcoder.js";

const METHODS: LibraryMethods = {
  createShelf: () => ({ name: "shelves/a b%/é", theme: "x" }),
  deleteShelf: () => ({}),
  createBook: ({ book, bookId = "" }) => ({ id: bookId, etag: book?.etag ?? "" }),
  listShelves: ({ pageToken }) => ({ shelves: [{ name: "shelves/1" }], nextPageToken: pageToken ?? "", totalSize: 12 }),
};

describe.each(testRuntimes)("over $name", ({ serve, serveLibrary }) => {
  const BOOKS = "/v1/shelves/1/books";

  test.each<[behavior: string, request: TestRequest, headers: Record<string, string | undefined>]>([
    [
      "encodes a Location of several segments",
      { target: "/v1/shelves", body: "{}" },
      { location: "/v1/shelves/a%20b%25/%C3%A9" },
    ],
    [
      "encodes a slash within one segment of a Location",
      { target: `${BOOKS}?book_id=a/b?c`, body: "{}" },
      { location: "/v1/books/a%2Fb%3Fc" },
    ],
    [
      "omits a Location or a header if its fields are empty",
      { target: BOOKS, body: "{}" },
      { location: undefined, etag: undefined },
    ],
    [
      "sends response fields as headers",
      { target: `${BOOKS}?book_id=1`, body: '{"etag":"\\"v1\\" €\\n"}' },
      { etag: '"v1" %E2%82%AC%0A' },
    ],
  ])("rule 18: sends the declared status, and %s", async (_, request, headers) => {
    await using server = await serveLibrary(METHODS);
    const response = await server.send({ method: "POST", ...request });
    expect(response.status).toBe(201);
    for (const [name, value] of Object.entries(headers)) expect(response.headers[name]).toBe(value);
  });

  test("rule 18: sends response fields as headers of a list", async () => {
    await using server = await serveLibrary(METHODS);
    expect(await server.send({ target: "/v1/shelves?page_token=t" })).toMatchObject({
      text: '[{"name":"shelves/1"}]',
      headers: { "x-next-page-token": "t", "x-total-size": "12" },
    });
  });

  test("rule 18: sends a 204 without body, Content-Type and Content-Length", async () => {
    await using server = await serveLibrary(METHODS);
    const response = await server.send({ method: "DELETE", target: "/v1/shelves/7" });
    expect(response).toMatchObject({ status: 204, text: "" });
    expect(response.headers).not.toHaveProperty("content-type");
    expect(response.headers).not.toHaveProperty("content-length");
  });

  test.each([
    ["/v1/shelves?page_token=n", '</v1/shelves?page_token=n>; rel="next"'],
    ["/v1/shelves?page_size=2&page_token=a%2Fb", '</v1/shelves?page_size=2&page_token=a%2Fb>; rel="next"'],
    ["/v1/shelves?pageToken=n&page_size=2", '</v1/shelves?page_size=2&page_token=n>; rel="next"'],
    ["/v1/shelves?page%5Ftoken=n&&pageSize=2&", '</v1/shelves?pageSize=2&page_token=n>; rel="next"'],
  ])("rule 18: links %s to the same target with the next page token", async (target, link) => {
    await using server = await serveLibrary(METHODS);
    expect((await server.send({ target })).headers).toMatchObject({ link });
  });

  test.each(["filter.author.full_name", "filter.author.fullName"])(
    "rule 18: replaces the nested parameter %s in a link",
    async (parameter) => {
      const service = buildService("BookService", {
        ListBooks: {
          input: ListBooksRequestSchema,
          output: ListBooksResponseSchema,
          http: httpGet("/v1/books"),
          response: { links: [{ rel: "next", parameter: "filter.author.full_name", field: "next_page_token" }] },
        },
      });
      const implementation = { listBooks: () => ({ nextPageToken: "B" }) } as never;
      await using server = await serve(
        createTranscoder({ routes: (router) => router.service(service, implementation) }),
      );
      expect((await server.send({ target: `/v1/books?page_size=2&${parameter}=A` })).headers).toMatchObject({
        link: '</v1/books?page_size=2&filter.author.full_name=B>; rel="next"',
      });
    },
  );

  test("rule 18: prefixes Location and Link with the base path, and omits a Link without a token", async () => {
    await using server = await serveLibrary(METHODS, { basePath: "/api" });
    const created = await server.send({ method: "POST", target: "/api/v1/shelves", body: "{}" });
    expect(created.headers).toMatchObject({ location: "/api/v1/shelves/a%20b%25/%C3%A9" });
    const response = await server.send({ target: "/api/v1/shelves?page_token=n" });
    expect(response.headers).toMatchObject({ link: '</api/v1/shelves?page_token=n>; rel="next"' });
    const last = await server.send({ target: "/api/v1/shelves" });
    expect(last.headers).not.toHaveProperty("link");
    expect(last.headers).not.toHaveProperty("x-next-page-token");
  });
});
