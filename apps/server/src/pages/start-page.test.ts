import { afterAll, beforeAll, expect, test } from "vitest";
import { expectErrorShape } from "../testing/error-shape.js";
import { HTTP_VERSIONS, sendHttp } from "../testing/http-request.js";
import { startTestServer, type TestServer } from "../testing/test-server.js";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer("postgres", { basePath: "/api" });
});

afterAll(() => server?.stop());

test.each(HTTP_VERSIONS)("links only existing pages, over %s", async (version) => {
  const send = (target: string, headers = {}) => sendHttp(version, server.port, { target, headers });
  const { status, headers, text } = await send("/?from=mail", BROWSER);
  expect({ status, headers }).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8" } });
  expect(headers["content-security-policy"]).toMatch(/^default-src 'none'/);
  expect(text).not.toMatch(/<script|<style|style=|https?:/);
  const links = Array.from(text.matchAll(/(?:href|src)="([^"]+)"/g), ([, link]) => link);
  expect(links).toContain("docs");
  for (const link of links) expect(await send(`/${link}`), link).toMatchObject({ status: 200 });
});

test.each([
  ["GET", "/", {}],
  ["GET", "/", { accept: "*/*" }],
  ["GET", "/", { accept: "application/json" }],
  ["GET", "/", { accept: "application/json, text/html;q=0" }],
  ["POST", "/", BROWSER],
  ["GET", "/start.html", BROWSER],
  ["GET", "/api/", BROWSER],
])("leaves %s %s with %o to the API", async (method, target, headers) => {
  const answer = await sendHttp("HTTP/1.1", server.port, { target, method, headers });
  const error = expectErrorShape(answer.status, answer.headers["content-type"], answer.text);
  expect(error.reason).toBe("ROUTE_NOT_FOUND");
});
