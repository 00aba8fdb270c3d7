import { once } from "node:events";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import { type AddressInfo, createServer } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Http2Connection } from "./http2-connection.js";
import { handleAsRequest, type RequestHandler } from "./request-stream.js";

/** A server, and Node's own client of it. */
async function serve(handler: RequestHandler) {
  const server = createServer((socket) => {
    new Http2Connection(socket, (stream) => handleAsRequest(stream, socket, handler));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  session.on("error", () => {});
  return {
    session,
    [Symbol.dispose]() {
      session.destroy();
      server.close();
    },
  };
}

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function send(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string | readonly string[]>>,
  body?: string | Buffer,
  trailers?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const stream = session.request(headers as never, {
    endStream: body === undefined,
    waitForTrailers: trailers !== undefined,
  });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers ?? {}));
  if (body !== undefined) stream.end(body);
  const answer = { headers: {}, trailers: {} };
  stream.on("response", (received) => Object.assign(answer.headers, received));
  stream.on("trailers", (received) => Object.assign(answer.trailers, received));
  const chunks: Buffer[] = [];
  stream.on("data", (chunk) => chunks.push(chunk));
  await once(stream, "close");
  return { ...answer, body: Buffer.concat(chunks) };
}

describe("a request of node:http2's client", () => {
  test("has its method, url, headers, body and trailers, and its answer has them too", async () => {
    using server = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        response.setHeader("x-method", `${request.method} ${request.url} ${request.httpVersion} ${request.authority}`);
        response.setHeader("set-cookie", ["a=1", "b=2"]);
        response.addTrailers({ "x-end": String(request.trailers["x-client-end"]) });
        response.end(Buffer.concat(chunks));
      });
    });
    const headers = { ":method": "POST", ":path": "/a?b", cookie: ["c=1", "d=2"], "x-a": ["1", "2"] };
    const answer = await send(server.session, headers, "hello", { "x-client-end": "bye" });
    expect(answer.headers).toMatchObject({ ":status": 200, "set-cookie": ["a=1", "b=2"], date: expect.any(String) });
    expect(answer.headers["x-method"]).toMatch(/^POST \/a\?b 2\.0 127\.0\.0\.1:\d+$/);
    expect(String(answer.body)).toBe("hello");
    expect(answer.trailers).toMatchObject({ "x-end": "bye" });
  });

  test("has the headers that node:http2 would have made of it", async () => {
    const seen: IncomingHttpHeaders[] = [];
    using server = await serve((request, response) => {
      seen.push(request.headers);
      response.end();
    });
    const repeated = { cookie: ["c=1", "d=2"], "x-a": ["1", "2"], accept: ["a", "b"], te: "trailers" };
    await send(server.session, { ":path": "/", ...repeated });
    expect(seen[0]).toMatchObject({ cookie: "c=1; d=2", "x-a": "1, 2", accept: "a, b", te: "trailers" });
  });

  test.each([
    ["HEAD", 200],
    ["GET", 204],
    ["GET", 304],
  ])("has no body in an answer to %s with %i", async (method, status) => {
    using server = await serve((_, response) => {
      response.writeHead(status, { "x-a": "1" });
      response.end();
    });
    const answer = await send(server.session, { ":method": method, ":path": "/" });
    expect(answer.headers).toMatchObject({ ":status": status, "x-a": "1" });
    expect(answer.body).toHaveLength(0);
  });

  test("is told that an expectation is unknown, or that there is no tunnel", async () => {
    using server = await serve((_, response) => void response.end("ok"));
    const unknown = await send(server.session, { ":method": "POST", ":path": "/", expect: "tea" }, "x");
    expect(unknown.headers[":status"]).toBe(417);
    const tunnel = await send(server.session, { ":method": "CONNECT", ":authority": "example.com:80" });
    expect(tunnel.headers[":status"]).toBe(405);
  });

  test("is told to go on only when its body is read", async () => {
    using server = await serve((request, response) => {
      const answer = () => void response.writeHead(request.url === "/refused" ? 413 : 200).end();
      if (request.url === "/refused") answer();
      else request.on("end", answer).resume();
    });
    const headers = { ":method": "POST", expect: "100-continue" };
    const refused = server.session.request({ ...headers, ":path": "/refused" });
    refused.on("headers", () => expect.unreachable("the body is not read"));
    const [answer] = (await once(refused, "response")) as [IncomingHttpHeaders];
    expect(answer[":status"]).toBe(413);
    refused.close();
    const read = server.session.request({ ...headers, ":path": "/read" });
    await once(read, "continue");
    read.end("x");
    const [taken] = (await once(read, "response")) as [IncomingHttpHeaders];
    expect(taken[":status"]).toBe(200);
  });

  test("of megabytes comes in and goes out", async () => {
    using server = await serve((request, response) => void request.pipe(response));
    const body = Buffer.alloc(5_000_000, "0123456789");
    const answer = await send(server.session, { ":method": "POST", ":path": "/" }, body);
    expect(answer.body.equals(body)).toBe(true);
  });

  test("is answered in many small pieces, each within the windows", async () => {
    using server = await serve((_, response) => {
      for (let piece = 0; piece < 5000; piece++) response.write(`${piece},`);
      response.end();
    });
    server.session.settings({ initialWindowSize: 100 });
    const answers = await Promise.all([1, 2, 3].map(() => send(server.session, { ":path": "/" })));
    const text = Array.from({ length: 5000 }, (_, piece) => `${piece},`).join("");
    expect(answers.map(({ body }) => String(body) === text)).toEqual([true, true, true]);
  });

  test("that nobody reads stops coming", async () => {
    const opened = Promise.withResolvers<Parameters<RequestHandler>>();
    using server = await serve((...parameters) => opened.resolve(parameters));
    const stream = server.session.request({ ":method": "POST", ":path": "/" });
    stream.on("error", () => {});
    stream.write(Buffer.alloc(5_000_000));
    const [request, response] = await opened.promise;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(stream.state.localClose ?? 0).toBe(0);
    expect(stream.bufferSize).toBeGreaterThan(4_000_000);
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
    });
    request.on("end", () => response.end("done"));
    stream.end();
    stream.resume();
    await once(stream, "close");
    expect(size).toBe(5_000_000);
  });

  test("that the client resets is aborted and closed", async () => {
    const { promise: events, resolve } = Promise.withResolvers<string[]>();
    const called = Promise.withResolvers<void>();
    using server = await serve((request, response) => {
      const seen: string[] = [];
      request.on("aborted", () => seen.push("aborted"));
      request.on("close", () => seen.push("request closed"));
      response.on("close", () => resolve([...seen, "response closed"]));
      called.resolve();
    });
    const stream = server.session.request({ ":method": "POST", ":path": "/" });
    stream.on("error", () => {});
    stream.write("x");
    await called.promise;
    stream.close(8);
    expect(await events).toEqual(["aborted", "request closed", "response closed"]);
  });

  test("that the server resets tells its code", async () => {
    using server = await serve((request) => request.stream.close(2));
    const stream = server.session.request({ ":path": "/" });
    stream.on("error", () => {});
    await new Promise((resolve) => stream.once("close", resolve));
    expect(stream.rstCode).toBe(2);
  });
});

test("any headers go both ways, as Node's client writes and reads them", async () => {
  using server = await serve((request, response) => {
    const echoed = Object.entries(request.headers).filter(([name]) => name.startsWith("x-"));
    response.writeHead(200, Object.fromEntries(echoed));
    response.end();
  });
  const arbitraryHeaders = fc.dictionary(
    fc.stringMatching(/^x-[a-z0-9-]{1,30}$/),
    fc.string({ maxLength: 60 }).map((text) => text.trim()),
    { maxKeys: 10 },
  );
  await fc.assert(
    fc.asyncProperty(arbitraryHeaders, async (headers) => {
      const answer = await send(server.session, { ":path": "/", ...headers });
      expect(answer.headers).toMatchObject(headers);
    }),
  );
});
