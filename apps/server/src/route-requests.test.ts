import type { HttpRoute } from "@calltrack/transcoding";
import { expect, test } from "vitest";
import { createHttpServer } from "./http/http-server.js";
import { createRequestRouter } from "./route-requests.js";

test("a stream that fails after its first piece ends its request with the error, which is no unhandled rejection", async () => {
  const failure = new Error("the stream failed");
  async function* body() {
    yield "first";
    throw failure;
  }
  const route = {
    isMatched: true,
    rpc: undefined,
    handle: async () => ({ status: 200, headers: {}, body: body(), trailers: undefined }),
  } satisfies HttpRoute;
  const routeOf = createRequestRouter({
    pages: new Map(),
    telephony: { findWebhook: () => undefined },
    rpcs: { route: () => undefined },
    json: { route: () => route, skipped: [] },
  });
  const failures: unknown[] = [];
  const server = createHttpServer({
    handle: (request) => routeOf(request).serve(request),
    refuse: (request) => request.abort(),
    fail(request, error) {
      failures.push(error);
      request.abort();
    },
  });
  const port = await server.listen(0, "127.0.0.1");
  await expect(fetch(`http://127.0.0.1:${port}/`).then((response) => response.text())).rejects.toThrow();
  expect(failures).toEqual([failure]);
  await server.close();
});
