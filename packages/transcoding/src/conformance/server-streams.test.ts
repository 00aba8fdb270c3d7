import { Code, ConnectError, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import { callPaths } from "../testing/call-path.js";
import {
  catchConnectError,
  collect,
  NUMBER_CONTEXT_KEY,
  ReceivedMetadata,
  registerMethod,
  rejectWhenAborted,
} from "../testing/conformance.js";

describe.each(callPaths)("over $name", (path) => {
  const BOOKS = { parent: "shelves/1", limit: 3 };

  test("sends complete messages one by one, with headers and trailers", async () => {
    let context: HandlerContext | undefined;
    const routes = registerMethod("watchBooks", async function* ({ parent, limit = 0 }, handlerContext) {
      context = handlerContext;
      const { responseHeader, responseTrailer, requestHeader, values } = handlerContext;
      responseHeader.set("x-own", requestHeader.get("x-a") ?? "");
      values.set(NUMBER_CONTEXT_KEY, "set");
      for (let id = 1; id <= limit; id++) yield { id: `${parent} ${id}` };
      responseTrailer.set("x-count", String(limit));
    });
    await using server = await path.serve(routes);
    const received = new ReceivedMetadata();
    const books = server.client.watchBooks(BOOKS, { headers: { "x-a": "1" }, ...received });
    expect((await collect(books)).map(({ id }) => id)).toEqual(["shelves/1 1", "shelves/1 2", "shelves/1 3"]);
    expect(received.header.get("x-own")).toBe("1");
    expect(received.trailer.get("x-count")).toBe("3");
    expect(context?.signal.aborted, "the signal aborts when the call is complete").toBe(true);
  });

  test("passes streams of requests and complete responses to interceptors, which can change both", async () => {
    const change: Interceptor = (next) => async (request) => {
      if (!request.stream) return next(request);
      expect(request.method).toBe(LibraryService.method.watchBooks);
      const limited = map(request.message, (message) => ({ ...message, limit: 2 }));
      const response = await next({ ...request, message: limited });
      if (!response.stream) return response;
      response.header.set("x-seen", "1");
      return { ...response, message: map(response.message, (message) => ({ ...message, title: message.$typeName })) };
    };
    const routes = registerMethod("watchBooks", async function* ({ limit = 0 }) {
      for (let id = 1; id <= limit; id++) yield { id: String(id) };
    });
    await using server = await path.serve(routes, { interceptors: [change] });
    const received = new ReceivedMetadata();
    const books = server.client.watchBooks(BOOKS, received);
    expect(await collect(books)).toMatchObject([
      { id: "1", title: "library.v1.Book" },
      { id: "2", title: "library.v1.Book" },
    ]);
    expect(received.header.get("x-seen")).toBe("1");
  });

  test("rule 19: sends the code of an error before and after the first message", async () => {
    const routes = registerMethod("watchBooks", async function* ({ limit = 0 }) {
      for (let id = 1; id < limit; id++) yield { id: String(id) };
      throw new ConnectError("gone", Code.NotFound);
    });
    await using server = await path.serve(routes);
    for (const limit of [1, 3]) {
      const ids: string[] = [];
      const read = async () => {
        for await (const { id } of server.client.watchBooks({ ...BOOKS, limit })) ids.push(id);
      };
      expect(await catchConnectError(read())).toMatchObject({ code: Code.NotFound, rawMessage: "gone" });
      expect(ids).toHaveLength(limit - 1);
    }
  });

  test("rule 14: ends a stream at the deadline", async () => {
    const routes = registerMethod("watchBooks", async function* (_, { signal }) {
      yield { id: "1" };
      await rejectWhenAborted(signal);
    });
    await using server = await path.serve(routes);
    const books = collect(server.client.watchBooks(BOOKS, { headers: path.timeoutHeader(50) }));
    expect((await catchConnectError(books)).code).toBe(Code.DeadlineExceeded);
  });

  test("rule 14: ends the handler's iteration when the client stops reading", async () => {
    const { promise, resolve } = Promise.withResolvers<AbortSignal>();
    const routes = registerMethod("watchBooks", async function* (_, { signal }) {
      try {
        yield { id: "1" };
        await rejectWhenAborted(signal);
      } finally {
        resolve(signal);
      }
    });
    await using server = await path.serve(routes);
    const client = new AbortController();
    const books = server.client.watchBooks(BOOKS, { signal: client.signal })[Symbol.asyncIterator]();
    expect((await books.next()).value).toMatchObject({ id: "1" });
    client.abort();
    await books.next().catch(() => {});
    const signal = await promise;
    expect(signal.aborted).toBe(true);
    if (path.isAnsweredAtDeadline) expect(ConnectError.from(signal.reason).code).toBe(Code.Canceled);
  });
});

async function* map<T>(messages: AsyncIterable<T>, change: (message: T) => object): AsyncGenerator<T> {
  for await (const message of messages) yield change(message) as T;
}
