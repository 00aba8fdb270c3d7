import { setTimeout as pause } from "node:timers/promises";
import type { NodeRequest } from "@calltrack/transcoding/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { type SendRequest, sendHttp1, sendHttp2, type TestRequestOptions } from "../testing/http-client.js";
import { createHttpServer } from "./http-server.js";
import type { RequestHandler } from "./request-handler.js";

const POST: TestRequestOptions = { method: "POST", body: "body", headers: { "content-length": "4" } };

function broken(): never {
  throw new Error("broken");
}

async function* failing(): AsyncIterable<string> {
  yield "begun";
  broken();
}

/** Places where the code of a request can throw before its response. */
const BEFORE: readonly (readonly [string, Partial<RequestHandler>, TestRequestOptions])[] = [
  ["the handler", { handle: broken }, {}],
  [
    "the promise of the handler",
    {
      handle: (request) =>
        void pause(1)
          .then(broken)
          .catch((error) => request.fail(error)),
    },
    {},
  ],
  ["the receiver of a piece of the body", { handle: (request) => receive(request, { onData: broken }) }, POST],
  ["the receiver of the end of the body", { handle: (request) => receive(request, { onEnd: broken }) }, POST],
  ["the observer of complete bodies", { handle: (request) => receive(request, {}), completeBody: broken }, POST],
  ["the response, because of a header", { handle: (request) => request.respond(200, { location: "/\u0001" }) }, {}],
  ["the response, because of a name", { handle: (request) => request.respond(200, { "a b": "c" }) }, {}],
  ["the head of a streamed response", { handle: (request) => stream(request, { location: "\u0001" }) }, {}],
];

/** Places where it can throw after the response has begun. */
const DURING: readonly (readonly [place: string, handle: (request: NodeRequest) => void])[] = [
  ["the body of a streamed response", (request) => stream(request, {}, failing())],
  ["the trailers of a streamed response", (request) => stream(request, {}, pieces(), broken)],
  [
    "the trailers of a streamed response, because of a value",
    (request) => stream(request, {}, pieces(), () => ({ "x-end": "\u0001" })),
  ],
  [
    "the trailers of a streamed response, because of a name",
    (request) => stream(request, {}, pieces(), () => ({ "a b": "c" })),
  ],
];

/** Places where it can throw after the response. */
const AFTER: readonly (readonly [place: string, handler: Partial<RequestHandler>])[] = [
  ["the observer of the end", { handle: (request) => observeEnd(request) }],
  ["the observer of complete responses", { complete: broken }],
];

async function* pieces(): AsyncIterable<string> {
  yield "piece";
}

function receive(request: NodeRequest, receiver: Partial<Parameters<NodeRequest["receive"]>[0]>): void {
  request.receive({ onData: () => {}, onEnd: () => {}, onAbort: () => {}, ...receiver });
}

function stream(
  request: NodeRequest,
  headers: Record<string, string>,
  body = pieces(),
  trailers?: () => Record<string, string>,
) {
  request.stream(200, headers, body, trailers).catch((error) => request.fail(error));
}

function observeEnd(request: NodeRequest): void {
  request.onEnd(broken);
  request.respond(200, {}, "done");
}

describe.each<[version: string, send: SendRequest]>([
  ["HTTP/1.1", sendHttp1],
  ["HTTP/2", sendHttp2],
])("over %s, an error", (_, send) => {
  /** Starts a server whose path `/fine` works. */
  async function start(handler: Partial<RequestHandler>) {
    const errors: unknown[] = [];
    const server = createHttpServer(
      {
        refuse: (request) => request.respond(400, {}),
        ...handler,
        handle(request) {
          if (request.target !== "/fine" && handler.handle !== undefined) handler.handle(request);
          else request.respond(200, {}, "fine");
        },
        fail(request, error) {
          errors.push((error as Error).name);
          if (request.isOver) return;
          if (request.hasResponded) request.abort();
          else request.respond(500, {}, "failed");
        },
      },
      { limits: { requestTimeoutMs: 500 } },
    );
    const port = await server.listen(0, "127.0.0.1");
    onTestFinished(() => server.close());
    return { port, errors };
  }

  test.each(BEFORE)("in %s ends the request with 500", async (_, handler, request) => {
    const { port, errors } = await start(handler);
    expect(await send(port, request).readResponse()).toMatchObject({ status: 500, body: "failed" });
    expect(errors).toEqual([expect.any(String)]);
    expect(await send(port, { path: "/fine" }).readResponse()).toMatchObject({ status: 200 });
  });

  test.each(DURING)("in %s cuts off the response", async (_, handle) => {
    const { port, errors } = await start({ handle });
    await expect(send(port).readResponse()).rejects.toThrow();
    await expect.poll(() => errors).toEqual([expect.any(String)]);
    expect(await send(port, { path: "/fine" }).readResponse()).toMatchObject({ status: 200 });
  });

  test.each(AFTER)("in %s does not change the response", async (_, handler) => {
    const { port, errors } = await start(handler);
    expect(await send(port).readResponse()).toMatchObject({ status: 200 });
    await expect.poll(() => errors).toContain("Error");
  });

  test("in a listener for a disconnected client, or in its receiver, affects no other request", async () => {
    for (const handle of [
      (request: NodeRequest) => void request.onGone(broken),
      (request: NodeRequest) => receive(request, { onAbort: broken }),
    ]) {
      let handled = 0;
      const { port, errors } = await start({
        handle(request) {
          handled++;
          handle(request);
        },
      });
      const sent = send(port, { ...POST, body: "open" });
      sent.body.write("b");
      await expect.poll(() => handled).toBe(1);
      sent.destroy();
      await expect.poll(() => errors).toEqual(["Error"]);
      expect(await send(port, { path: "/fine" }).readResponse()).toMatchObject({ status: 200 });
    }
  });

  test("in the handler of errors itself resets the request", async () => {
    const { port } = await start({ handle: (request) => request.respond(200, { location: "\u0001" }) });
    const failing = await start({ handle: broken });
    expect(await send(port).readResponse()).toMatchObject({ status: 500 });
    expect(await send(failing.port).readResponse()).toMatchObject({ status: 500 });
    const server = createHttpServer(
      { handle: broken, refuse: broken, fail: broken },
      { limits: { requestTimeoutMs: 500 } },
    );
    const worst = await server.listen(0, "127.0.0.1");
    onTestFinished(() => server.close());
    for (let turn = 0; turn < 2; turn++) await expect(send(worst).readResponse()).rejects.toThrow();
  });
});
