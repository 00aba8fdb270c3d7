import { Code, ConnectError, type ConnectRouter, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { type HttpBody, HttpBodySchema } from "../gen/google/api/httpbody_pb.js";
import { FileSchema, type PutFileRequest, PutFileRequestSchema } from "../gen/library/v1/library_pb.js";
import { buildService, httpPost } from "../testing/build-service.js";
import { type TestRequest, testRuntimes } from "../testing/test-runtime.js";
import { createTranscoder } from "../transcoder/transcoder.js";
import type { TranscoderOptions } from "../transcoder/transcoder-options.js";

const FilesService = buildService("Files", {
  Upload: { input: HttpBodySchema, output: FileSchema, clientStreaming: true, http: httpPost("/upload", "*") },
  PutFile: {
    input: PutFileRequestSchema,
    output: FileSchema,
    clientStreaming: true,
    http: httpPost("/files/{path=**}", "content"),
    response: { status: 201, location: "/files/{path=**}" },
  },
  Convert: {
    input: HttpBodySchema,
    output: HttpBodySchema,
    clientStreaming: true,
    serverStreaming: true,
    http: httpPost("/convert", "*"),
  },
});

interface Methods {
  upload?(messages: AsyncIterable<HttpBody>, context: HandlerContext): Promise<object>;
  putFile?(messages: AsyncIterable<PutFileRequest>, context: HandlerContext): Promise<object>;
  convert?(messages: AsyncIterable<HttpBody>, context: HandlerContext): AsyncIterable<object>;
}

async function countBytes(messages: AsyncIterable<HttpBody>): Promise<object> {
  let size = 0n;
  let contentType = "";
  for await (const message of messages) {
    size += BigInt(message.data.length);
    contentType ||= message.contentType;
  }
  return { size, contentType };
}

async function* neverEnding() {
  yield new Uint8Array(10);
  await new Promise(() => {});
}

const UPLOAD: TestRequest = { method: "POST", target: "/upload", headers: { "content-type": "image/png" } };

describe.each(testRuntimes)("rule 13: an upload of HttpBody over $name", ({ serve }) => {
  const serveFiles = (methods: Methods, options: Omit<TranscoderOptions, "routes"> = {}) => {
    const routes = (router: ConnectRouter) => router.service(FilesService, methods as never);
    return serve(createTranscoder({ routes, ...options }));
  };

  test("reaches the handler in pieces, whatever its size", async () => {
    await using server = await serveFiles({ upload: countBytes }, { readMaxBytes: 1000 });
    const response = await server.send({ ...UPLOAD, body: new Uint8Array(5_000_000) });
    expect(JSON.parse(response.text)).toEqual({ size: "5000000", contentType: "image/png" });
  });

  test("becomes one empty message if it has no body", async () => {
    const seen: HttpBody[] = [];
    await using server = await serveFiles({
      async upload(messages) {
        for await (const message of messages) seen.push(message);
        return {};
      },
    });
    expect((await server.send({ method: "POST", target: "/upload" })).status).toBe(200);
    expect(seen).toMatchObject([{ contentType: "", data: new Uint8Array() }]);
  });

  test("has path, query and type in the first message, and returns the declared status", async () => {
    const seen: unknown[] = [];
    await using server = await serveFiles({
      async putFile(messages) {
        let path = "";
        for await (const message of messages) {
          path ||= message.path;
          seen.push([message.path, message.comment, message.content?.contentType, message.content?.data.length]);
        }
        return { path };
      },
    });
    const response = await server.send({
      ...UPLOAD,
      target: "/files/a/b?comment=new",
      body: (async function* () {
        yield new Uint8Array(3);
        while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        yield new Uint8Array(4);
      })(),
    });
    expect(seen).toEqual([
      ["a/b", "new", "image/png", 3],
      ["", "", "", 4],
    ]);
    expect(response).toMatchObject({ status: 201, headers: { location: "/files/a/b" }, text: '{"path":"a/b"}' });
  });

  test("can return another stream", async () => {
    await using server = await serveFiles({
      async *convert(messages) {
        for await (const { contentType, data } of messages) yield { contentType, data: data.map((byte) => byte + 1) };
      },
    });
    const response = await server.send({ ...UPLOAD, target: "/convert", body: new Uint8Array([1, 2, 3]) });
    expect(response).toMatchObject({ status: 200, headers: { "content-type": "image/png" } });
    expect([...response.bytes]).toEqual([2, 3, 4]);
  });

  test("does not reach the handler if it has a violation", async () => {
    let isCalled = false;
    await using server = await serveFiles({
      async putFile() {
        isCalled = true;
        return {};
      },
    });
    const response = await server.send({ ...UPLOAD, target: "/files/a?unknown=1", body: "x" });
    expect(response.error.details[0].fieldViolations).toMatchObject([{ field: "unknown" }]);
    expect(isCalled).toBe(false);
  });

  test("is answered before its end if the handler stops reading", async () => {
    await using server = await serveFiles({
      async upload(messages) {
        for await (const _ of messages) throw new ConnectError("no room", Code.ResourceExhausted);
        return {};
      },
    });
    const response = await server.send({ ...UPLOAD, body: new Uint8Array(200_000) });
    expect(response.error).toMatchObject({ code: 429, message: "no room" });
  });

  test("returns 415 if it is compressed", async () => {
    await using server = await serveFiles({ upload: countBytes });
    const headers = { "content-encoding": "gzip" };
    const response = await server.send({ ...UPLOAD, headers, body: new Uint8Array(10) });
    expect(response).toMatchObject({ status: 415, headers: { "accept-encoding": "identity" } });
  });

  test("is a stream to interceptors, and can be rejected by the gate", async () => {
    const seen: unknown[] = [];
    const interceptor: Interceptor = (next) => async (request) => {
      const response = await next(request);
      seen.push([request.stream, response.stream]);
      return response;
    };
    await using server = await serveFiles({ upload: countBytes }, { interceptors: [interceptor] });
    expect(JSON.parse((await server.send({ ...UPLOAD, body: "abc" })).text)).toMatchObject({ size: "3" });
    expect(seen).toEqual([[true, true]]);
    const requestGate = () => {
      throw new ConnectError("who are you", Code.Unauthenticated);
    };
    await using closed = await serveFiles({ upload: countBytes }, { requestGate });
    expect((await closed.send({ ...UPLOAD, body: "abc" })).status).toBe(401);
  });

  test("ends with an error and aborts the signal if the client disconnects", async () => {
    const { promise, resolve } = Promise.withResolvers<unknown[]>();
    const client = new AbortController();
    await using server = await serveFiles({
      async upload(messages, { signal }) {
        try {
          for await (const _ of messages) client.abort();
          resolve(["the end", signal.aborted]);
        } catch (error) {
          resolve([ConnectError.from(error).code, signal.aborted]);
        }
        return {};
      },
    });
    server.open({ ...UPLOAD, body: neverEnding() }, client.signal).catch(() => {});
    expect(await promise).toEqual([Code.Canceled, true]);
  });

  test("returns 504 if it takes longer than the deadline", async () => {
    await using server = await serveFiles({ upload: countBytes });
    const headers = { "x-server-timeout": "0.05" };
    const response = await server.open({ ...UPLOAD, headers, body: neverEnding() });
    expect(response.status).toBe(504);
    response.abort();
  });
});
