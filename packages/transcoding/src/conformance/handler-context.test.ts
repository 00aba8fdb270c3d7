import { setTimeout } from "node:timers/promises";
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import { callPaths } from "../testing/call-path.js";
import {
  catchConnectError,
  createUnaryInterceptor,
  NUMBER_CONTEXT_KEY,
  passThroughInterceptor,
  ReceivedMetadata,
  registerMethod,
  rejectWhenAborted,
  SHELF,
  shelfLibrary,
  updatingLibrary,
} from "../testing/conformance.js";
import { recordCalls } from "../testing/library.js";

describe.each(callPaths)("over $name", (path) => {
  test.each([
    ["without interceptors", []],
    ["with an interceptor", [passThroughInterceptor]],
  ])("describes the call, %s", async (_, interceptors) => {
    let context: HandlerContext | undefined;
    const routes = registerMethod("getShelf", ({ name }, handlerContext) => {
      context = handlerContext;
      expect(handlerContext.signal.aborted).toBe(false);
      return { name };
    });
    await using server = await path.serve(routes, { interceptors });
    await server.client.getShelf(SHELF, { headers: { "x-a": "1" } });
    expect(context?.method).toBe(LibraryService.method.getShelf);
    expect(context?.service).toBe(LibraryService);
    expect(context?.protocolName).toBe(path.protocolName);
    expect(context?.requestMethod).toBe(path.getShelf.requestMethod);
    expect(new URL(context?.url ?? "").pathname).toBe(path.getShelf.pathname);
    expect(context?.requestHeader).toBeInstanceOf(Headers);
    expect(context?.requestHeader.get("x-a")).toBe("1");
    expect(context?.responseHeader).toBeInstanceOf(Headers);
    expect(context?.responseTrailer).toBeInstanceOf(Headers);
    expect(context?.values.get(NUMBER_CONTEXT_KEY)).toBe("none");
    expect(context?.timeoutMs()).toBeUndefined();
    expect(context?.signal.aborted, "the signal aborts when the call is complete").toBe(true);
  });

  test("carries headers and trailers to the client", async () => {
    const routes = registerMethod("getShelf", (_, { responseHeader, responseTrailer }) => {
      responseHeader.append("x-own", "1");
      responseHeader.append("x-own", "2");
      responseHeader.append("set-cookie", "a=1");
      responseHeader.append("set-cookie", "b=2");
      responseTrailer.set("x-cost", "3");
      return {};
    });
    await using server = await path.serve(routes);
    const received = new ReceivedMetadata();
    await server.client.getShelf(SHELF, received);
    expect(received.header.get("x-own")).toBe("1, 2");
    expect(received.header.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(received.trailer.get("x-cost")).toBe("3");
    expect(received.header.has("x-cost")).toBe(false);
  });

  test("rule 14: aborts the signal at the deadline, and sends the client an error", async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    let timeoutMs = 0;
    const routes = registerMethod("getShelf", (_, context) => {
      timeoutMs = context.timeoutMs() ?? 0;
      const { signal } = context;
      signal.addEventListener("abort", () => resolve(signal.reason));
      return path.isAnsweredAtDeadline ? new Promise<never>(() => {}) : rejectWhenAborted(signal);
    });
    await using server = await path.serve(routes);
    let headerMs = 25;
    // On a busy machine, the deadline can pass before the handler is called.
    while (timeoutMs <= 0) {
      headerMs *= 2;
      const error = await catchConnectError(server.client.getShelf(SHELF, { headers: path.timeoutHeader(headerMs) }));
      expect(error.code).toBe(Code.DeadlineExceeded);
    }
    expect(ConnectError.from(await promise).code).toBe(Code.DeadlineExceeded);
    expect(timeoutMs).toBeLessThanOrEqual(headerMs);
  });

  test("rule 14: rejects a timeout over the limit", async () => {
    await using server = await path.serve(shelfLibrary, { maxTimeoutMs: 1000 });
    const error = await catchConnectError(server.client.getShelf(SHELF, { headers: path.timeoutHeader(1001) }));
    expect(error.code).toBe(Code.InvalidArgument);
  });

  test.each([
    ["without interceptors", []],
    ["with an interceptor", [passThroughInterceptor]],
  ])("rule 14: aborts the signal when the client disconnects, %s", async (_, interceptors) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const client = new AbortController();
    const routes = registerMethod("getShelf", (_, { signal }) => {
      signal.addEventListener("abort", () => resolve(signal.reason));
      const gone = rejectWhenAborted(signal);
      client.abort();
      return gone;
    });
    await using server = await path.serve(routes, { interceptors });
    expect((await catchConnectError(server.client.getShelf(SHELF, { signal: client.signal }))).code).toBe(
      Code.Canceled,
    );
    const reason = ConnectError.from(await promise);
    if (path.isAnsweredAtDeadline) expect(reason.code).toBe(Code.Canceled);
  });

  test.each(["before", "during"])("aborts the signal at a shutdown %s the call, with its reason", async (time) => {
    const shutdown = new AbortController();
    const stop = () => shutdown.abort(new ConnectError("shutting down", Code.Unavailable));
    const routes = registerMethod("getShelf", (_, { signal }) => {
      if (time === "before") throw signal.reason;
      const stopped = rejectWhenAborted(signal);
      stop();
      return stopped;
    });
    if (time === "before") stop();
    await using server = await path.serve(routes, { shutdownSignal: shutdown.signal });
    const error = await catchConnectError(server.client.getShelf(SHELF));
    expect(error).toMatchObject({ code: Code.Unavailable, rawMessage: "shutting down" });
  });

  test("keeps the contexts of 20 concurrent calls apart", async () => {
    const carry = createUnaryInterceptor(async (next, request) => {
      request.contextValues.set(NUMBER_CONTEXT_KEY, request.header.get("x-number") ?? "");
      await setTimeout(Math.random() * 10);
      const response = await next(request);
      response.trailer.set("x-carried", request.contextValues.get(NUMBER_CONTEXT_KEY));
      return response;
    });
    const routes = registerMethod("getShelf", async ({ name }, context) => {
      await setTimeout(Math.random() * 10);
      context.responseHeader.set("x-number", context.requestHeader.get("x-number") ?? "");
      await setTimeout(Math.random() * 10);
      if (name.endsWith("3")) throw new ConnectError(context.values.get(NUMBER_CONTEXT_KEY), Code.NotFound);
      return { name, theme: context.values.get(NUMBER_CONTEXT_KEY) };
    });
    await using server = await path.serve(routes, { interceptors: [carry] });
    const calls = Array.from({ length: 20 }, async (_, index) => {
      const seen: (string | null)[] = [];
      const shelf = await server.client
        .getShelf(
          { name: `shelves/${index}` },
          {
            headers: { "x-number": String(index) },
            onHeader: (header) => void seen.push(header.get("x-number")),
            onTrailer: (trailer) => void seen.push(trailer.get("x-carried")),
          },
        )
        .catch((error: ConnectError) => ({ name: error.rawMessage, theme: error.metadata.get("x-number") }));
      return [shelf.name, shelf.theme, ...seen];
    });
    expect(await Promise.all(calls)).toEqual(
      calls.map((_, index) => {
        const text = String(index);
        return text.endsWith("3") ? [text, text] : [`shelves/${text}`, text, text, text];
      }),
    );
  });

  test("passes a message of megabytes in both directions", async () => {
    const theme = "€uro ".repeat(300_000);
    await using server = await path.serve(updatingLibrary);
    const shelf = await server.client.updateShelf({ name: "shelves/7", theme });
    expect(shelf.theme === theme).toBe(true);
  });

  test("rule 11: rejects a message over the limit before calling the handler", async () => {
    const { calls, method } = recordCalls();
    await using server = await path.serve(registerMethod("updateShelf", method), { readMaxBytes: 1000 });
    await server.client.updateShelf({ name: "shelves/7", theme: "x".repeat(900) });
    const error = await catchConnectError(server.client.updateShelf({ name: "shelves/7", theme: "x".repeat(1001) }));
    expect(error.code).toBe(Code.ResourceExhausted);
    expect(calls).toHaveLength(1);
  });

  test("rule 11: applies the limit that a service was registered with", async () => {
    const routes = (router: ConnectRouter) =>
      void router.service(LibraryService, { updateShelf: () => ({}) }, { readMaxBytes: 1000 });
    await using server = await path.serve(routes, { readMaxBytes: 1_000_000 });
    const error = await catchConnectError(server.client.updateShelf({ name: "shelves/7", theme: "x".repeat(1001) }));
    expect(error.code).toBe(Code.ResourceExhausted);
  });
});
