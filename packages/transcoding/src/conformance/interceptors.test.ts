import { create } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createContextValues,
  type HandlerContext,
  type Interceptor,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { LibraryService, ShelfSchema } from "../gen/library/v1/library_pb.js";
import { callPaths } from "../testing/call-path.js";
import {
  catchConnectError,
  createUnaryInterceptor,
  failingLibrary,
  NUMBER_CONTEXT_KEY,
  ReceivedMetadata,
  registerMethod,
  SHELF,
  shelfLibrary,
} from "../testing/conformance.js";
import { recordCalls } from "../testing/library.js";

describe.each(callPaths)("interceptors over $name", (path) => {
  test("run around the handler, the first one outermost", async () => {
    const order: string[] = [];
    const record = (name: string) =>
      createUnaryInterceptor(async (next, request) => {
        order.push(`${name} in`);
        const response = await next(request);
        order.push(`${name} out`);
        return response;
      });
    const routes = registerMethod("getShelf", ({ name }) => {
      order.push("handler");
      return { name };
    });
    await using server = await path.serve(routes, { interceptors: [record("first"), record("second")] });
    await server.client.getShelf(SHELF);
    expect(order).toEqual(["first in", "second in", "handler", "second out", "first out"]);
  });

  test("see the call: method, service, URL, message, header, signal", async () => {
    const requests: UnaryRequest[] = [];
    const see = createUnaryInterceptor((next, request) => {
      requests.push(request);
      expect(request.signal.aborted).toBe(false);
      return next(request);
    });
    await using server = await path.serve(shelfLibrary, { interceptors: [see, see] });
    await server.client.getShelf(SHELF, { headers: { "x-a": "1" } });
    const [request] = requests;
    expect(requests).toHaveLength(2);
    expect(request?.method).toBe(LibraryService.method.getShelf);
    expect(request?.service).toBe(LibraryService);
    expect(request?.requestMethod).toBe(path.getShelf.requestMethod);
    expect(new URL(request?.url ?? "").pathname).toBe(path.getShelf.pathname);
    expect(request?.message).toMatchObject({ $typeName: "library.v1.GetShelfRequest", name: "shelves/7" });
    expect(request?.header.get("x-a")).toBe("1");
    expect(request?.signal).toBeInstanceOf(AbortSignal);
    expect(request?.contextValues).toBe(requests[1]?.contextValues);
  });

  test("see a complete message as response, even if the handler returned a partial one", async () => {
    let response: UnaryResponse | undefined;
    const see = createUnaryInterceptor(async (next, request) => {
      response = await next(request);
      return response;
    });
    const routes = registerMethod("getShelf", () => ({ createTime: { seconds: 1n } }));
    await using server = await path.serve(routes, { interceptors: [see] });
    const shelf = await server.client.getShelf(SHELF);
    expect(response?.stream).toBe(false);
    expect(response?.method).toBe(LibraryService.method.getShelf);
    expect(response?.service).toBe(LibraryService);
    expect(response?.message).toMatchObject({
      $typeName: "library.v1.Shelf",
      name: "",
      createTime: { $typeName: "google.protobuf.Timestamp", seconds: 1n, nanos: 0 },
    });
    expect(shelf.createTime?.seconds).toBe(1n);
  });

  test("share the context values of the adapter with the handler", async () => {
    const given = createContextValues().set(NUMBER_CONTEXT_KEY, "adapter");
    const seen: unknown[] = [];
    const see = createUnaryInterceptor((next, request) => {
      seen.push(request.contextValues.get(NUMBER_CONTEXT_KEY));
      request.contextValues.set(NUMBER_CONTEXT_KEY, `${request.contextValues.get(NUMBER_CONTEXT_KEY)}+`);
      return next(request);
    });
    const routes = registerMethod("getShelf", (_, { values }) => {
      expect(values).toBe(given);
      return { theme: values.get(NUMBER_CONTEXT_KEY) };
    });
    await using server = await path.serve(routes, { interceptors: [see, see], contextValues: () => given });
    expect((await server.client.getShelf(SHELF)).theme).toBe("adapter++");
    expect(seen).toEqual(["adapter", "adapter+"]);
  });

  test("get new context values for each call if the adapter provides none", async () => {
    const mark = createUnaryInterceptor((next, request) => {
      request.contextValues.set(NUMBER_CONTEXT_KEY, `${request.contextValues.get(NUMBER_CONTEXT_KEY)}+`);
      return next(request);
    });
    const routes = registerMethod("getShelf", (_, { values }) => ({ theme: values.get(NUMBER_CONTEXT_KEY) }));
    await using server = await path.serve(routes, { interceptors: [mark] });
    await server.client.getShelf(SHELF);
    expect((await server.client.getShelf(SHELF)).theme).toBe("none+");
  });

  test("can change the request's headers in place", async () => {
    const change = createUnaryInterceptor((next, request) => {
      request.header.set("x-a", "changed");
      return next(request);
    });
    const routes = registerMethod("getShelf", (_, { requestHeader }) => ({ theme: requestHeader.get("x-a") ?? "" }));
    await using server = await path.serve(routes, { interceptors: [change] });
    expect((await server.client.getShelf(SHELF, { headers: { "x-a": "1" } })).theme).toBe("changed");
  });

  test("can replace header, message, context values and signal by spreading the request", async () => {
    const { signal } = new AbortController();
    const contextValues = createContextValues().set(NUMBER_CONTEXT_KEY, "own");
    const change = createUnaryInterceptor((next, request) => {
      const message = { ...request.message, name: "shelves/changed" } as typeof request.message;
      return next({ ...request, header: new Headers({ "x-a": "changed" }), message, contextValues, signal });
    });
    const { calls, method } = recordCalls();
    await using server = await path.serve(registerMethod("getShelf", method), { interceptors: [change] });
    expect((await server.client.getShelf(SHELF, { headers: path.timeoutHeader(20_000) })).name).toBe("shelves/changed");
    const context = calls[0]?.context;
    expect(Object.fromEntries(context?.requestHeader ?? [])).toEqual({ "x-a": "changed" });
    expect(context?.values).toBe(contextValues);
    expect(context?.signal).toBe(signal);
    expect(context).toMatchObject({
      protocolName: path.protocolName,
      requestMethod: path.getShelf.requestMethod,
      method: LibraryService.method.getShelf,
    });
    expect(context?.timeoutMs()).toBeGreaterThan(15_000);
  });

  test("can create a new request, and the handler keeps the call's context", async () => {
    const rebuild = createUnaryInterceptor(
      (next, { header, message, contextValues, signal, url, service, method, requestMethod }) =>
        next({ stream: false, header, message, contextValues, signal, url, service, method, requestMethod }),
    );
    let context: HandlerContext | undefined;
    const routes = registerMethod("getShelf", ({ name }, handlerContext) => {
      context = handlerContext;
      context.responseHeader.set("x-own", "1");
      return { name };
    });
    await using server = await path.serve(routes, { interceptors: [rebuild] });
    const received = new ReceivedMetadata();
    await server.client.getShelf(SHELF, { headers: path.timeoutHeader(20_000), ...received });
    expect(context?.protocolName).toBe(path.protocolName);
    expect(context?.timeoutMs()).toBeGreaterThan(15_000);
    expect(received.header.get("x-own")).toBe("1");
  });

  test("can call the handler twice, sequentially or concurrently", async () => {
    let calls = 0;
    const retry = createUnaryInterceptor((next, request) => next(request).catch(() => next(request)));
    const race = createUnaryInterceptor(
      async (next, request) => (await Promise.all([next(request), next(request)]))[1],
    );
    const routes = registerMethod("getShelf", ({ name }, { responseHeader }) => {
      responseHeader.append("x-call", String(++calls));
      if (calls === 1) throw new ConnectError("try again", Code.Unavailable);
      return { name };
    });
    await using server = await path.serve(routes, { interceptors: [retry, race] });
    const received = new ReceivedMetadata();
    const shelf = await server.client.getShelf(SHELF, received);
    expect(shelf.name).toBe("shelves/7");
    expect(calls).toBe(4);
    expect(received.header.get("x-call")).toBe("1, 2, 3, 4");
  });

  test("can answer without calling the handler", async () => {
    const { calls, method } = recordCalls();
    const answer = createUnaryInterceptor((_, { method, service }) => ({
      stream: false,
      method,
      service,
      header: new Headers({ "x-cache": "hit", ...path.ownHeaders }),
      trailer: new Headers({ "x-age": "5", ...path.ownTrailers }),
      message: create(ShelfSchema, { theme: "cached" }),
    }));
    await using server = await path.serve(registerMethod("getShelf", method), { interceptors: [answer] });
    const received = new ReceivedMetadata();
    const shelf = await server.client.getShelf(SHELF, received);
    expect(shelf.theme).toBe("cached");
    expect(received.header.get("x-cache")).toBe("hit");
    expect(received.trailer.get("x-age")).toBe("5");
    expect(calls).toEqual([]);
  });

  test("can reject without calling the handler", async () => {
    const { calls, method } = recordCalls();
    const refuse = createUnaryInterceptor(() => {
      throw new ConnectError("who are you?", Code.Unauthenticated, { "x-hint": "log in" });
    });
    await using server = await path.serve(registerMethod("getShelf", method), { interceptors: [refuse] });
    const error = await catchConnectError(server.client.getShelf(SHELF));
    expect(error).toMatchObject({ code: Code.Unauthenticated, rawMessage: "who are you?" });
    expect(error.metadata.get("x-hint")).toBe("log in");
    expect(calls).toEqual([]);
  });

  test("see errors of the handler unchanged, and can turn them into another error or a response", async () => {
    class DomainError extends Error {}
    const thrown: unknown[] = [];
    const turn = createUnaryInterceptor(async (next, request) => {
      try {
        return await next(request);
      } catch (error) {
        thrown.push(error);
        throw error instanceof DomainError ? new ConnectError("no such shelf", Code.NotFound) : error;
      }
    });
    const routes = failingLibrary(new DomainError());
    await using server = await path.serve(routes, { interceptors: [turn, turn] });
    const error = await catchConnectError(server.client.getShelf(SHELF));
    expect(error).toMatchObject({ code: Code.NotFound, rawMessage: "no such shelf" });
    expect(thrown).toEqual([expect.any(DomainError), expect.any(ConnectError)]);
  });

  test("can replace header, trailer and message of the response", async () => {
    const change = createUnaryInterceptor(async (next, request) => {
      const response = await next(request);
      const header = new Headers({ "x-changed": response.header.get("x-own") ?? "", ...path.ownHeaders });
      header.append("set-cookie", "a=1");
      header.append("set-cookie", "b=2");
      const message = { ...response.message, theme: "changed" } as typeof response.message;
      return { ...response, header, trailer: new Headers({ "x-end": "1", ...path.ownTrailers }), message };
    });
    const routes = registerMethod("getShelf", ({ name }, { responseHeader, responseTrailer }) => {
      responseHeader.set("x-own", "own");
      responseTrailer.set("x-own-end", "own");
      return { name };
    });
    await using server = await path.serve(routes, { interceptors: [change] });
    const received = new ReceivedMetadata();
    const shelf = await server.client.getShelf(SHELF, received);
    expect(shelf).toMatchObject({ name: "shelves/7", theme: "changed" });
    expect(received.header.get("x-changed")).toBe("own");
    if (path.replacesHeadersWhole) expect(received.header.has("x-own")).toBe(false);
    expect(received.header.getSetCookie()).toEqual(path.replacesHeadersWhole ? ["a=1", "b=2"] : ["b=2"]);
    expect(received.trailer.get("x-end")).toBe("1");
    if (path.replacesHeadersWhole) expect(received.trailer.has("x-own-end")).toBe(false);
  });

  test("are applied to each call, so that their local state belongs to that call", async () => {
    const count: Interceptor = (next) => {
      let calls = 0;
      return async (request) => {
        calls += 1;
        const response = await next(request);
        response.header.set("x-calls", String(calls));
        return response;
      };
    };
    await using server = await path.serve(shelfLibrary, { interceptors: [count] });
    const seen: (string | null)[] = [];
    const onHeader = (header: Headers) => void seen.push(header.get("x-calls"));
    await server.client.getShelf(SHELF, { onHeader });
    await server.client.getShelf(SHELF, { onHeader });
    expect(seen).toEqual(["1", "1"]);
  });

  test("replace those of the adapter if a service was registered with its own", async () => {
    const mark = (name: string) =>
      createUnaryInterceptor(async (next, request) => {
        const response = await next(request);
        response.header.append("x-mark", name);
        return response;
      });
    const routes = (router: ConnectRouter) =>
      void router.service(LibraryService, { getShelf: () => ({}) }, { interceptors: [mark("own")] });
    await using server = await path.serve(routes, { interceptors: [mark("shared")] });
    const received = new ReceivedMetadata();
    await server.client.getShelf(SHELF, received);
    expect(received.header.get("x-mark")).toBe("own");
  });
});
