import { describe, expect, test } from "vitest";
import { createLibrary } from "../testing/library.js";
import { runtimes } from "../testing/test-runtime.js";
import type { CorsOptions } from "./cors.js";

const ORIGIN = "https://example.com";
const library = (cors?: CorsOptions) =>
  createLibrary({ getShelf: ({ name }) => ({ name }) }, cors === undefined ? {} : { cors });
const preflight = (headers: Record<string, string> = {}) => ({
  method: "OPTIONS",
  target: "/v1/shelves/7",
  headers: { origin: ORIGIN, "access-control-request-method": "PUT", ...headers },
});

describe.each(runtimes)("over $name", ({ serve }) => {
  test("rule 21: serves HEAD for every GET", async () => {
    await using server = await serve(library());
    const response = await server.send({ method: "HEAD", target: "/v1/shelves/7" });
    expect(response).toMatchObject({
      status: 200,
      text: "",
      headers: { "content-type": "application/json", "content-length": "20" },
    });
    expect((await server.send({ method: "HEAD", target: "/v1/nothing" })).status).toBe(404);
    expect((await server.send({ method: "HEAD", target: "/v1:echo" })).status).toBe(405);
  });

  test("rule 21: answers OPTIONS with 204 and Allow", async () => {
    await using server = await serve(library());
    const response = await server.send({ method: "OPTIONS", target: "/v1/shelves/7" });
    expect(response).toMatchObject({ status: 204, text: "", headers: { allow: "DELETE, GET, HEAD, OPTIONS, PUT" } });
    expect((await server.send({ method: "OPTIONS", target: "/v1/nothing" })).status).toBe(404);
  });

  test("rule 21: sends no CORS headers by default", async () => {
    await using server = await serve(library());
    const response = await server.send(preflight());
    expect(Object.keys(response.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(response.headers).not.toHaveProperty("vary");
  });

  test("rule 21: answers a preflight from an allowed origin", async () => {
    const cors = { origins: [ORIGIN], maxAgeSeconds: 600, credentials: true };
    await using server = await serve(library(cors));
    const response = await server.send(preflight({ "access-control-request-headers": "content-type, x-a" }));
    expect(response).toMatchObject({
      status: 204,
      headers: {
        "access-control-allow-origin": ORIGIN,
        "access-control-allow-methods": "DELETE, GET, HEAD, OPTIONS, PUT",
        "access-control-allow-headers": "content-type, x-a",
        "access-control-allow-credentials": "true",
        "access-control-max-age": "600",
      },
    });
    expect(response.headers.vary).toBe("access-control-request-headers, origin");
  });

  test("rule 21: lets an allowed origin read the response, including errors", async () => {
    const cors: CorsOptions = { origins: (origin) => origin.endsWith(".com"), exposeHeaders: ["Link", "X-A"] };
    await using server = await serve(library(cors));
    for (const target of ["/v1/shelves/7", "/v1/nothing"]) {
      const response = await server.send({ target, headers: { origin: ORIGIN } });
      expect(response.headers).toMatchObject({
        "access-control-allow-origin": ORIGIN,
        "access-control-expose-headers": "Link, X-A",
        vary: "origin",
      });
    }
  });

  test("rule 21: sends another origin the response without CORS headers", async () => {
    await using server = await serve(library({ origins: ["https://other.example"] }));
    const response = await server.send({ target: "/v1/shelves/7", headers: { origin: ORIGIN } });
    expect(response).toMatchObject({ status: 200, headers: { vary: "origin" } });
    expect(response.headers).not.toHaveProperty("access-control-allow-origin");
    const refused = await server.send(preflight());
    expect(Object.keys(refused.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test('rule 21: allows all origins with "*"', async () => {
    await using server = await serve(library({ origins: "*", allowHeaders: ["Content-Type"] }));
    const response = await server.send(preflight({ "access-control-request-headers": "x-a" }));
    expect(response.headers).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "Content-Type",
    });
    expect(response.headers).not.toHaveProperty("vary");
  });
});

test("rule 21: rejects credentials for all origins at start-up", () => {
  expect(() => library({ origins: "*", credentials: true })).toThrow("credentials");
});
