import { describe, expect, test } from "vitest";
import { recordCalls } from "../testing/library.js";
import { testRuntimes } from "../testing/test-runtime.js";

const forever = () => new Promise<never>(() => {});

describe.each(testRuntimes)("over $name", ({ serveLibrary }) => {
  test.each([
    ["x-server-timeout", "0.05"],
    ["x-server-timeout", "0"],
    ["grpc-timeout", "50m"],
    ["grpc-timeout", "50000u"],
  ])("rule 14: returns 504 for %s: %s even if the handler ignores the signal", async (name, value) => {
    await using server = await serveLibrary({ getShelf: forever });
    const response = await server.send({ target: "/v1/shelves/7", headers: { [name]: value } });
    const details = [{ reason: "DEADLINE_EXCEEDED" }];
    expect(response.error).toMatchObject({ code: 504, status: "DEADLINE_EXCEEDED", details });
  });

  test("rule 14: passes the shorter of two timeouts to the handler", async () => {
    const { calls, method } = recordCalls();
    await using server = await serveLibrary({ getShelf: method });
    await server.send({ target: "/v1/shelves/7", headers: { "x-server-timeout": "20", "grpc-timeout": "1H" } });
    const timeoutMs = calls[0]?.context.timeoutMs();
    expect(timeoutMs).toBeGreaterThan(19_000);
    expect(timeoutMs).toBeLessThanOrEqual(20_000);
  });

  test("rule 14: does not expire a timeout beyond a timer's range immediately", async () => {
    await using server = await serveLibrary({ getShelf: ({ name }) => ({ name }) });
    const response = await server.send({ target: "/v1/shelves/7", headers: { "grpc-timeout": "99999999H" } });
    expect(response.status).toBe(200);
  });

  test.each([
    ["x-server-timeout", "soon"],
    ["x-server-timeout", "-1"],
    ["x-server-timeout", "1e3"],
    ["x-server-timeout", "10s"],
    ["grpc-timeout", "10"],
    ["grpc-timeout", "123456789S"],
    ["grpc-timeout", "1.5S"],
  ])("rule 14: returns 400 for the malformed header %s: %s", async (name, value) => {
    await using server = await serveLibrary({ getShelf: ({ name }) => ({ name }) });
    const response = await server.send({ target: "/v1/shelves/7", headers: { [name]: value } });
    expect(response.error).toMatchObject({ code: 400, details: [{ reason: "HEADER_MALFORMED" }] });
  });

  test("rule 15: passes all headers except hop-by-hop ones to the handler", async () => {
    const { calls, method } = recordCalls();
    await using server = await serveLibrary({ getShelf: method });
    const sent = { authorization: "Bearer x", "x-custom": "1", "x-bin": "AAE", "proxy-authorization": "Basic x" };
    await server.send({ target: "/v1/shelves/7", headers: sent });
    const header = calls[0]?.context.requestHeader ?? new Headers();
    expect(Object.fromEntries(header)).toMatchObject({ authorization: "Bearer x", "x-custom": "1", "x-bin": "AAE" });
    for (const name of ["connection", "keep-alive", "transfer-encoding", "te", "upgrade", "proxy-authorization"]) {
      expect(header.has(name), name).toBe(false);
    }
    expect([...header.keys()].filter((name) => name.startsWith(":"))).toEqual([]);
  });

  test("rule 15: sends the handler's headers and trailers as headers, except hop-by-hop ones", async () => {
    await using server = await serveLibrary({
      getShelf: ({ name }, { responseHeader, responseTrailer }) => {
        responseHeader.append("set-cookie", "a=1");
        responseHeader.append("set-cookie", "b=2");
        responseHeader.set("cache-control", "no-store");
        responseHeader.set("content-length", "1");
        responseHeader.set("content-type", "text/html");
        responseHeader.set("connection", "x");
        responseTrailer.set("x-cost", "3");
        return { name };
      },
    });
    const response = await server.send({ target: "/v1/shelves/7" });
    expect(response.text).toBe('{"name":"shelves/7"}');
    expect(response.headers).toMatchObject({
      "set-cookie": ["a=1", "b=2"],
      "cache-control": "no-store",
      "content-type": "application/json",
      "content-length": "20",
      "x-cost": "3",
    });
  });

  test("rule 15: sends trailers as trailers if the client requests them with TE", async () => {
    await using server = await serveLibrary({
      getShelf: ({ name }, { responseTrailer }) => {
        responseTrailer.set("x-cost", "3");
        return { name };
      },
    });
    const response = await server.send({ target: "/v1/shelves/7", headers: { te: "trailers" } });
    expect(response).toMatchObject({ status: 200, trailers: { "x-cost": "3" }, headers: { trailer: "x-cost" } });
    expect(response.headers).not.toHaveProperty("x-cost");
    expect(response.text).toBe('{"name":"shelves/7"}');
  });

  test.each([
    [{ method: "HEAD", headers: {} }, 200],
    [{ method: "GET", headers: { "if-none-match": '"v1"' } }, 304],
    [{ method: "DELETE", headers: {} }, 204],
  ])("rule 15: sends trailers as headers if the response has no body: %j", async ({ method, headers }, status) => {
    await using server = await serveLibrary({
      getShelf: ({ name }, { responseTrailer }) => {
        responseTrailer.set("x-cost", "3");
        return { name, etag: '"v1"' };
      },
      deleteShelf: (_, { responseTrailer }) => {
        responseTrailer.set("x-cost", "3");
        return {};
      },
    });
    const response = await server.send({ method, target: "/v1/shelves/7", headers: { te: "trailers", ...headers } });
    expect(response).toMatchObject({ status, headers: { "x-cost": "3" } });
    expect(response.headers).not.toHaveProperty("trailer");
  });
});
