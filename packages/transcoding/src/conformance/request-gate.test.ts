import { setTimeout } from "node:timers/promises";
import { Code, ConnectError, type ConnectRouter, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import { callPaths } from "../testing/call-path.js";
import {
  catchConnectError,
  collect,
  createUnaryInterceptor,
  NUMBER_CONTEXT_KEY,
  ReceivedMetadata,
  registerMethod,
  SHELF,
} from "../testing/conformance.js";

describe.each(callPaths)("the gate over $name", (path) => {
  test("runs before interceptors and can prepare the context", async () => {
    const order: string[] = [];
    const requestGate = async (context: HandlerContext) => {
      await setTimeout(1);
      order.push(`gate ${context.method.name} ${context.requestHeader.get("x-a")}`);
      context.values.set(NUMBER_CONTEXT_KEY, "gate");
      context.responseHeader.set("x-gate", "1");
    };
    const see = createUnaryInterceptor((next, request) => {
      order.push(`interceptor ${request.contextValues.get(NUMBER_CONTEXT_KEY)}`);
      return next(request);
    });
    const routes = registerMethod("getShelf", (_, { values }) => ({ theme: values.get(NUMBER_CONTEXT_KEY) }));
    await using server = await path.serve(routes, { requestGate, interceptors: [see] });
    const received = new ReceivedMetadata();
    const shelf = await server.client.getShelf(SHELF, { headers: { "x-a": "1" }, ...received });
    expect(shelf.theme).toBe("gate");
    expect(received.header.get("x-gate")).toBe("1");
    expect(order).toEqual(["gate GetShelf 1", "interceptor gate"]);
  });

  test("rejects unary calls and streams before the body is read", async () => {
    const calls: string[] = [];
    const refuse = () => {
      throw new ConnectError("who are you?", Code.Unauthenticated, { "x-hint": "log in" });
    };
    const see: Interceptor = (next) => (request) => {
      calls.push("interceptor");
      return next(request);
    };
    const routes = (router: ConnectRouter) =>
      void router.service(
        LibraryService,
        {
          updateShelf: () => {
            calls.push("updateShelf");
            return {};
          },
          // biome-ignore lint/correctness/useYield: this handler is never called
          watchBooks: async function* () {
            calls.push("watchBooks");
          },
        },
        { requestGate: refuse },
      );
    await using server = await path.serve(routes, { interceptors: [see] });
    const error = await catchConnectError(server.client.updateShelf({ name: "shelves/7", theme: "sea" }));
    expect(error).toMatchObject({ code: Code.Unauthenticated, rawMessage: "who are you?" });
    expect(error.metadata.get("x-hint")).toBe("log in");
    const stream = collect(server.client.watchBooks({ parent: "shelves/1", limit: 1 }));
    expect((await catchConnectError(stream)).code).toBe(Code.Unauthenticated);
    expect(calls).toEqual([]);
  });
});
