import { afterAll, expect, test } from "vitest";
import { expectErrorShape } from "../testing/error-shape.js";
import { HTTP_VERSIONS, sendHttp } from "../testing/http-request.js";
import { startTestServer } from "../testing/test-server.js";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

const server = await startTestServer("postgres", { basePath: "/api" });

afterAll(() => server.stop());

test.each(HTTP_VERSIONS)("links only to existing pages, over %s", async (version) => {
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
  ["curl", { accept: "*/*" }],
  ["a client without Accept", {}],
  ["a client of text", { accept: "text/plain" }],
  ["a client of other types", { accept: "image/png, text/html;q=0, application/json; q=0.0" }],
])("tells %s where to go, in plain text", async (_, headers) => {
  const answer = await sendHttp("HTTP/1.1", server.port, { target: "/", headers });
  expect(answer).toMatchObject({ status: 200, headers: { "content-type": "text/plain; charset=utf-8" } });
  expect(answer.headers.vary).toBe("accept, accept-encoding");
  expect(answer.text).toMatch(/^Calltrack\. .* This server is running\.\n\n {2}\/console\/ +Console: /);
  const paths = Array.from(answer.text.matchAll(/^ {2}(\S+)/gm), ([, path = ""]) => path);
  expect(paths).toContain("/docs");
  for (const target of paths) expect((await sendHttp("HTTP/1.1", server.port, { target })).status, target).toBe(200);
});

test.each(["application/json", "application/json, text/html;q=0", "text/html; q=0.000, APPLICATION/JSON;q=0.5"])(
  "tells a client that accepts %s in JSON where to go",
  async (accept) => {
    const { status, headers, text } = await sendHttp("HTTP/1.1", server.port, { target: "/", headers: { accept } });
    expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "application/json" });
    const { links, ...rest } = JSON.parse(text);
    expect(rest).toEqual({ name: "Calltrack", description: expect.stringContaining("This server is running.") });
    expect(links).toContainEqual({ path: "/docs", title: "API", description: "read and try every operation" });
  },
);

test("answers HEAD like GET, without a body", async () => {
  const answer = await sendHttp("HTTP/1.1", server.port, { target: "/", method: "HEAD" });
  expect(answer).toMatchObject({ status: 200, text: "" });
});

test("is read-only", async () => {
  const answer = await sendHttp("HTTP/1.1", server.port, { target: "/", method: "POST", headers: BROWSER });
  expect(answer).toMatchObject({ status: 405, headers: { allow: "GET, HEAD, OPTIONS" } });
});

test.each(["/start.html", "/api/"])("leaves %s to the API", async (target) => {
  const answer = await sendHttp("HTTP/1.1", server.port, { target, headers: BROWSER });
  const error = expectErrorShape(answer.status, answer.headers["content-type"], answer.text);
  expect(error.reason).toBe("ROUTE_NOT_FOUND");
});
