import { Socket } from "node:net";
import { createContextKey, createContextValues } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { createLibrary, type LibraryMethods } from "../testing/library.js";
import type { WholeRequest } from "./whole-request.js";
import { createWholeRequestHandler, type WholeRequestHandlerOptions } from "./whole-request-handler.js";

interface Answer {
  readonly status: number;
  readonly headers: object;
  readonly body: string | Uint8Array | undefined;
}

/** Hands a request to a handler; gives its answer, "cut", or undefined if it was not taken. */
async function send(
  methods: LibraryMethods,
  request: Partial<WholeRequest>,
  options?: WholeRequestHandlerOptions,
): Promise<Answer | "cut" | undefined> {
  const { promise, resolve } = Promise.withResolvers<Answer | "cut">();
  const whole: WholeRequest = {
    method: "GET",
    url: "/v1/shelves/7",
    headers: { host: "example.com" },
    body: new Uint8Array(),
    socket: new Socket(),
    respond: (status, headers, body) => resolve({ status, headers, body }),
    cut: () => resolve("cut"),
    onGone: () => () => {},
    ...request,
  };
  return createWholeRequestHandler(createLibrary(methods), options)(whole) ? promise : undefined;
}

const METHODS: LibraryMethods = {
  getShelf: ({ name }) => ({ name }),
  createShelf: ({ shelf }) => ({ theme: shelf?.theme ?? "" }),
};

test("a call and its answer", async () => {
  expect(await send(METHODS, {})).toEqual({
    status: 200,
    headers: { "content-type": "application/json" },
    body: '{"name":"shelves/7"}',
  });
  const headers = { host: "example.com", "content-type": "application/json" };
  const body = Buffer.from('{"theme":"sea"}');
  expect(await send(METHODS, { method: "POST", url: "/v1/shelves", headers, body })).toMatchObject({
    body: '{"theme":"sea"}',
  });
});

test.each([
  ["no rule's path", { url: "/healthz" }],
  ["another method", { method: "PATCH", url: "/v1/shelves/7" }],
  ["a malformed path", { url: "/v1/shelves/7#a" }],
  ["a malformed escape", { url: "/v1/shelves/%zz" }],
  ["a stream", { url: "/v1/shelves/7/books:watch" }],
])("%s is left", async (_, request) => {
  expect(await send({ ...METHODS, watchBooks: async function* () {} }, request)).toBeUndefined();
});

test("a failure is an answer, and one that cannot be sent cuts the connection", async () => {
  const body = Buffer.from("{");
  const headers = { host: "example.com", "content-type": "application/json" };
  expect(await send(METHODS, { method: "POST", url: "/v1/shelves", headers, body })).toMatchObject({ status: 400 });
  expect(await send({}, {})).toMatchObject({ status: 501 });
  const respond = () => {
    throw new TypeError("the value of a header cannot be sent");
  };
  expect(await send(METHODS, { respond })).toBe("cut");
});

test("what a call is told of its request", async () => {
  const key = createContextKey("");
  let url = "";
  let header: object = {};
  const methods: LibraryMethods = {
    getShelf: (_, context) => {
      url = context.url;
      header = Object.fromEntries(context.requestHeader);
      return { name: context.values.get(key) };
    },
  };
  const contextValues = ({ headers }: WholeRequest) => createContextValues().set(key, String(headers["x-key"]));
  const answer = await send(methods, { headers: { host: "example.com", "x-key": "a" } }, { contextValues });
  expect(answer).toMatchObject({ body: '{"name":"a"}' });
  expect(url).toBe("http://example.com/v1/shelves/7");
  expect(header).toEqual({ host: "example.com", "x-key": "a" });
});

test("a call whose client has gone away is cancelled", async () => {
  let goneAway = () => {};
  const onGone = (listener: () => void) => {
    goneAway = listener;
    return () => {};
  };
  const methods: LibraryMethods = {
    getShelf: async (_, { signal }) => {
      goneAway();
      return { name: String(signal.aborted) };
    },
  };
  expect(await send(methods, { onGone })).toMatchObject({ body: '{"name":"true"}' });
});
