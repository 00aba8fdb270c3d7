import {
  ConnectError,
  type ConnectRouter,
  createContextKey,
  type Interceptor,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { expect } from "vitest";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import type { LibraryMethods } from "./library.js";

// The suites in `conformance/` define the behavior that handlers and interceptors can rely on, over every call path. The members of CallPath describe
// the differences between call paths.

export const SHELF = { name: "shelves/7" };

/** The key of a context value for tests. The default value is `none`. */
export const NUMBER_CONTEXT_KEY = createContextKey("none");

/** Returns the function that registers an implementation of the library API with these methods. */
export function registerLibrary(methods: LibraryMethods): (router: ConnectRouter) => void {
  return (router) => void router.service(LibraryService, methods);
}

/** Returns the function that registers an implementation of the library API with a single method. */
export function registerMethod<M extends keyof LibraryMethods>(method: M, implementation: LibraryMethods[M]) {
  return registerLibrary({ [method]: implementation });
}

/** Registers a library API that returns a shelf for every name. */
export const shelfLibrary = registerMethod("getShelf", ({ name }) => ({ name, theme: "sea" }));

/** Registers a library API whose UpdateShelf method returns the changed shelf. */
export const updatingLibrary = registerMethod("updateShelf", ({ name, theme = "" }) => ({ name, theme }));

/** Returns the function that registers a library API whose GetShelf method throws an error. */
export function failingLibrary(error: unknown): (router: ConnectRouter) => void {
  return registerMethod("getShelf", () => {
    throw error;
  });
}

/** Creates an interceptor for unary calls. It passes on streams unchanged. */
export function createUnaryInterceptor(
  run: (next: (request: UnaryRequest) => Promise<UnaryResponse>, request: UnaryRequest) => unknown,
): Interceptor {
  return (next) => async (request) => {
    if (request.stream) return next(request);
    return (await run(next as never, request)) as UnaryResponse;
  };
}

/** An interceptor that changes nothing. With it, an RPC runs the code for interceptors. */
export const passThroughInterceptor: Interceptor = (next) => (request) => next(request);

/** The headers and trailers that a client receives, and the call options that collect them. */
export class ReceivedMetadata {
  header: Headers = new Headers();
  trailer: Headers = new Headers();
  readonly onHeader = (header: Headers): void => {
    this.header = header;
  };
  readonly onTrailer = (trailer: Headers): void => {
    this.trailer = trailer;
  };
}

/** Waits for a call to fail, and returns the error. Fails the test if the call succeeds. */
export async function catchConnectError(call: Promise<unknown>): Promise<ConnectError> {
  return call.then(
    () => expect.unreachable("the call should fail"),
    (error: unknown) => ConnectError.from(error),
  );
}

/** Returns a promise that rejects with the signal's reason when the signal aborts. */
export function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

export async function collect<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const message of messages) all.push(message);
  return all;
}
