import { afterAll, describe, expect, test } from "vitest";
import { readConfig } from "../config/config.js";
import { expectErrorShape } from "../testing/error-shape.js";
import { HTTP_VERSIONS, sendHttp } from "../testing/http-request.js";
import { startTestServer } from "../testing/test-server.js";
import { createApiDocument } from "./api-document.js";

const server = await startTestServer("postgres", {
  basePath: "/api",
  publicHosts: [
    { name: "calls.example", port: "" },
    { name: "console.example", port: "8443" },
  ],
});

afterAll(() => server.stop());

const PATHS = [
  ["/openapi.json", "application/json"],
  ["/docs", "text/html; charset=utf-8"],
  ["/docs/start.css", "text/css; charset=utf-8"],
  ["/docs/without-eval.js", "text/javascript; charset=utf-8"],
  ["/docs/icon.svg", "image/svg+xml"],
] as const;

describe.each(HTTP_VERSIONS)("the API page over %s", (version) => {
  const send = (target: string, method = "GET", headers: Record<string, string> = {}) =>
    sendHttp(version, server.port, { target, method, headers });

  test.each(PATHS)("serves %s outside the base path, with an etag for revalidation", async (path, contentType) => {
    const { status, headers, text } = await send(path);
    expect({ status, headers }).toMatchObject({
      status: 200,
      headers: {
        "content-type": contentType,
        "content-length": String(Buffer.byteLength(text)),
        "cache-control": "no-cache",
        vary: "accept-encoding",
        "x-content-type-options": "nosniff",
      },
    });
    const again = await send(path, "GET", { "if-none-match": `"other", W/${headers.etag}` });
    expect(again).toMatchObject({ status: 304, text: "", headers: { etag: headers.etag } });
    for (const other of ['"other"', "", "bogus", `${headers.etag} x`, `"a",${" ".repeat(10_000)}x`]) {
      expect(await send(path, "GET", { "if-none-match": other }), other.slice(0, 40)).toMatchObject({ status: 200 });
    }
  });

  test("serves the document with the address of the request and the base path", async () => {
    const document = createApiDocument(readConfig({ BASE_PATH: "/api" }));
    const serversOf = async (headers: Record<string, string>) =>
      JSON.parse((await send("/openapi.json?x=1", "GET", headers)).text);
    const host = "calls.example:8443";
    expect(await serversOf({ host })).toEqual({ ...document, servers: [{ url: `http://${host}/api` }] });
    // The server ignores this header, because the test client is not a trusted proxy.
    const forwarded = await serversOf({ host, "x-forwarded-proto": "https" });
    expect(forwarded.servers).toEqual([{ url: `http://${host}/api` }]);
  });

  test("serves the document for a host in the settings even after requests for many other hosts", async () => {
    const serversOf = async (host: string) =>
      JSON.parse((await send("/openapi.json", "GET", { host })).text).servers[0].url;
    const others = [];
    for (let port = 1; port <= 40; port++) others.push(await serversOf(`calls.example:${port}`));
    expect(others.at(-1)).toBe("/api");
    for (const host of ["calls.example", "console.example:8443"])
      expect(await serversOf(host)).toBe(`http://${host}/api`);
  });

  test("serves the page's hashed assets as immutable, compressed by the build", async () => {
    const { text } = await send("/docs");
    const assets = Array.from(text.matchAll(/"(docs\/assets\/main-\w+\.(?:js|css))"/g), ([, path]) => `/${path}`);
    expect(assets).toHaveLength(2);
    for (const path of assets) {
      const { status, headers } = await send(path, "HEAD", { "accept-encoding": "br" });
      expect({ status, headers }).toMatchObject({
        status: 200,
        headers: { "cache-control": "public, max-age=31536000, immutable", "content-encoding": "br" },
      });
    }
  });

  test("allows no inline or evaluated code, no other origins, and the styles that Scalar adds", async () => {
    const { headers, text } = await send("/docs");
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy.replace("style-src 'self' 'unsafe-inline'", "")).not.toMatch(/unsafe|https?:|\*/);
    expect(text).not.toMatch(/<script>|<style|style=|https?:/);
  });

  test("sends Brotli to clients that accept it, with a different etag", async () => {
    const plain = await send("/docs/start.css");
    const response = await fetch(`${server.url}/docs/start.css`, { headers: { "accept-encoding": "br" } });
    expect(response.headers.get("content-encoding")).toBe("br");
    expect(response.headers.get("etag")).toBe(String(plain.headers.etag).replace(/"$/, '-br"'));
    expect(await response.text()).toBe(plain.text);
    expect((await send("/docs/start.css", "GET", { "accept-encoding": "br;q=0" })).headers).not.toHaveProperty(
      "content-encoding",
    );
  });

  test("returns the headers of GET for HEAD", async () => {
    const { date: _, "x-request-id": __, ...headers } = (await send("/docs")).headers;
    expect(await send("/docs", "HEAD")).toMatchObject({ status: 200, text: "", headers });
  });

  test("lists the allowed methods for OPTIONS and unsupported methods", async () => {
    const allow = "GET, HEAD, OPTIONS";
    expect(await send("/docs", "OPTIONS")).toMatchObject({ status: 204, text: "", headers: { allow } });
    const { status, headers, text } = await send("/openapi.json", "DELETE");
    expect(headers.allow).toBe(allow);
    expect(expectErrorShape(status, headers["content-type"], text)).toMatchObject({
      status: "UNIMPLEMENTED",
      reason: "METHOD_NOT_ALLOWED",
    });
  });

  test.each([
    "/docs/",
    "/docs/nothing.js",
    "/docs/../main.js",
    "/openapi.yaml",
    "/docs/start.html",
    "/docs/main.js",
    "/docs/assets/",
    "/api/docs",
    "/api/openapi.json",
  ])("returns 404 for %s", async (path) => {
    const { status, headers, text } = await send(path);
    expect(expectErrorShape(status, headers["content-type"], text).reason).toBe("ROUTE_NOT_FOUND");
  });
});
