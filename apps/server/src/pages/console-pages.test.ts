import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { expectErrorShape } from "../testing/error-shape.js";
import { HTTP_VERSIONS, sendHttp } from "../testing/http-request.js";
import { startTestServer } from "../testing/test-server.js";
import { findConsoleFolder } from "./package-file.js";

const AUTH = {
  keys: true,
  issuer: {
    issuer: 'https://login.example/"tenant"$&',
    audience: "calltrack",
    scopeClaim: "scope",
    accountClaim: "",
    clientId: "console",
    signInScope: "api://calltrack/.default",
  },
};

const server = await startTestServer("postgres", { basePath: "/api", auth: AUTH });

afterAll(() => server.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  sendHttp("HTTP/1.1", server.port, { target: path, method: "GET", headers });

const assets = readdirSync(join(findConsoleFolder(), "assets")).filter((name) => !/\.(?:br|gz)$/.test(name));

test.each(HTTP_VERSIONS)(
  "redirects to the folder over %s, relative to the path that a proxy shows",
  async (version) => {
    const target = "/api/console?code=1";
    const { status, headers } = await sendHttp(version, server.port, { target, method: "GET" });
    expect({ status, location: headers.location }).toEqual({ status: 308, location: "console/?code=1" });
  },
);

test.each(["/console/", "/api/console/"])("serves the page %s for revalidation, with its settings", async (path) => {
  const { status, headers, text } = await get(path);
  expect({ status, headers }).toMatchObject({
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
  expect(text).toContain("&quot;issuer&quot;:&quot;https://login.example/\\&quot;tenant\\&quot;$&amp;&quot;");
  expect(await get(path, { "if-none-match": String(headers.etag) })).toMatchObject({ status: 304, text: "" });
});

test("allows no inline code, and no other origin than the issuer's", async () => {
  const { headers, text } = await get("/console/");
  expect(headers["content-security-policy"]).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
      "connect-src 'self' https://login.example; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(text).not.toMatch(/<script>|<style|style=| on\w+=/);
});

test.each(assets)("serves the hashed asset %s as immutable, in the build's content codings", async (name) => {
  expect(name).toMatch(/^[\w-]+-[\w-]{8}\.(?:js|css|svg)$/);
  const path = `/console/assets/${name}`;
  const plain = await get(path);
  expect(plain).toMatchObject({
    status: 200,
    headers: {
      "content-type": { js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", svg: "image/svg+xml" }[
        name.replace(/.*\./, "")
      ],
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
    },
  });
  for (const coding of ["br", "gzip"]) {
    const response = await fetch(server.url + path, { headers: { "accept-encoding": coding } });
    expect(response.headers.get("content-encoding")).toBe(coding);
    expect(await response.text()).toBe(plain.text);
  }
  expect((await get(`/api${path}`)).text).toBe(plain.text);
});

test("has at most 150 kB of compressed assets, and needs few of them for the first paint", async () => {
  const size = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + statSync(join(findConsoleFolder(), "assets", `${name}.br`)).size, 0);
  expect(size(assets)).toBeLessThan(150_000);
  const { text } = await get("/console/");
  const first = Array.from(text.matchAll(/assets\/([^"]+)/g), ([, name = ""]) => name);
  expect(size(Array.from(new Set(first)))).toBeLessThan(8_000);
});

test("serves RPCs with and without the base path", async () => {
  for (const prefix of ["", "/api"]) {
    const response = await fetch(`${server.url}${prefix}/calltracking.v1.DniService/ResolveNumbers`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ accountId: "acme", propertyToken: "shop" }),
    });
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: {} });
  }
});

test("is absent with CONSOLE=off", async () => {
  const without = await startTestServer("postgres", { hasConsole: false });
  onTestFinished(without.stop);
  for (const target of ["/console", "/console/", `/console/assets/${assets[0]}`]) {
    const { status, headers, text } = await sendHttp("HTTP/1.1", without.port, { target, method: "GET" });
    expect(expectErrorShape(status, headers["content-type"], text).reason).toBe("ROUTE_NOT_FOUND");
  }
  const start = await sendHttp("HTTP/1.1", without.port, { target: "/", headers: { accept: "text/html" } });
  expect(start.text).toContain("docs");
  expect(start.text).not.toContain("console");
});
