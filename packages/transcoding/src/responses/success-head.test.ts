import { describe, expect, test } from "vitest";
import { createLibrary, type LibraryMethods } from "../testing/library.js";
import { runtimes } from "../testing/test-runtime.js";

const METHODS: LibraryMethods = {
  createShelf: () => ({ name: "shelves/a b%/é", theme: "x" }),
  deleteShelf: () => ({}),
  createBook: ({ book, bookId = "" }) => ({ id: bookId, etag: book?.etag ?? "" }),
  listShelves: ({ pageToken }) => ({ shelves: [{ name: "shelves/1" }], nextPageToken: pageToken ?? "", totalSize: 12 }),
};

describe.each(runtimes)("over $name", ({ serve }) => {
  test("rule 18: the declared status and a Location that spans segments, encoded", async () => {
    await using server = await serve(createLibrary(METHODS));
    const response = await server.send({ method: "POST", target: "/v1/shelves", body: "{}" });
    expect(response).toMatchObject({ status: 201, headers: { location: "/v1/shelves/a%20b%25/%C3%A9" } });
  });

  test("rule 18: a slash in a Location's single segment is encoded", async () => {
    await using server = await serve(createLibrary(METHODS));
    const response = await server.send({ method: "POST", target: "/v1/shelves/1/books?book_id=a/b?c", body: "{}" });
    expect(response.headers).toMatchObject({ location: "/v1/books/a%2Fb%3Fc" });
  });

  test("rule 18: no Location without the fields that it needs, no header without its field", async () => {
    await using server = await serve(createLibrary(METHODS));
    const response = await server.send({ method: "POST", target: "/v1/shelves/1/books", body: "{}" });
    expect(response.status).toBe(201);
    expect(response.headers).not.toHaveProperty("location");
    expect(response.headers).not.toHaveProperty("etag");
  });

  test("rule 18: the base path is in front of the Location", async () => {
    await using server = await serve(createLibrary(METHODS, { basePath: "/api" }));
    const response = await server.send({ method: "POST", target: "/api/v1/shelves", body: "{}" });
    expect(response.headers).toMatchObject({ location: "/api/v1/shelves/a%20b%25/%C3%A9" });
  });

  test("rule 18: 204 has no body, no type and no length", async () => {
    await using server = await serve(createLibrary(METHODS));
    const response = await server.send({ method: "DELETE", target: "/v1/shelves/7" });
    expect(response).toMatchObject({ status: 204, text: "" });
    expect(response.headers).not.toHaveProperty("content-type");
    expect(response.headers).not.toHaveProperty("content-length");
  });

  test("rule 18: response fields travel as headers", async () => {
    await using server = await serve(createLibrary(METHODS));
    const response = await server.send({
      method: "POST",
      target: "/v1/shelves/1/books?book_id=1",
      body: '{"etag":"\\"v1\\" €\\n"}',
    });
    expect(response.headers).toMatchObject({ etag: '"v1" %E2%82%AC%0A' });
    const list = await server.send({ target: "/v1/shelves?page_token=t" });
    expect(list).toMatchObject({
      text: '[{"name":"shelves/1"}]',
      headers: { "x-next-page-token": "t", "x-total-size": "12" },
    });
  });

  test.each([
    ["/v1/shelves?page_token=n", '</v1/shelves?page_token=n>; rel="next"'],
    ["/v1/shelves?page_size=2&page_token=a%2Fb", '</v1/shelves?page_size=2&page_token=a%2Fb>; rel="next"'],
    ["/v1/shelves?pageToken=n&page_size=2", '</v1/shelves?page_size=2&page_token=n>; rel="next"'],
    ["/v1/shelves?page%5Ftoken=n&&pageSize=2&", '</v1/shelves?pageSize=2&page_token=n>; rel="next"'],
  ])("rule 18: the Link of %s is the request's own target with the token set", async (target, link) => {
    await using server = await serve(createLibrary(METHODS));
    expect((await server.send({ target })).headers).toMatchObject({ link });
  });

  test("rule 18: the Link has the base path, and there is none without a token", async () => {
    await using server = await serve(createLibrary(METHODS, { basePath: "/api" }));
    const response = await server.send({ target: "/api/v1/shelves?page_token=n" });
    expect(response.headers).toMatchObject({ link: '</api/v1/shelves?page_token=n>; rel="next"' });
    const last = await server.send({ target: "/api/v1/shelves" });
    expect(last.headers).not.toHaveProperty("link");
    expect(last.headers).not.toHaveProperty("x-next-page-token");
  });
});
