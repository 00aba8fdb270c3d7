import { create, type DescMessage, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import type {
  HandlerContext,
  Interceptor,
  MethodImplSpec,
  StreamRequest,
  StreamResponse,
  UnaryRequest,
  UnaryResponse,
} from "@connectrpc/connect";
import type { RpcContext } from "./rpc-context.js";

type AnyRequest = UnaryRequest | StreamRequest;
type AnyFn = Parameters<Interceptor>[0];
export type UnarySpec = MethodImplSpec & { kind: "unary" };
export type StreamSpec = Exclude<MethodImplSpec, { kind: "unary" }>;

/** Wraps a unary implementation in interceptors, the first one outermost. */
export function interceptUnary(
  spec: UnarySpec,
  interceptors: readonly Interceptor[],
): (message: Message, context: RpcContext) => Promise<Message> {
  const { output } = spec.method;
  const invoke = async (message: Message, context: HandlerContext) => create(output, await spec.impl(message, context));
  if (interceptors.length === 0) return invoke;
  return async (input, context) => {
    const request = createRequest(context, false, input);
    let created: UnaryResponse | undefined;
    const next = applyInterceptors(async (given) => {
      const message = await invoke(given.message as Message, contextOf(given, request, context));
      created = createResponse(context, false, message) as UnaryResponse;
      return created;
    }, interceptors);
    const response = await next(request);
    if (response !== created) context.takeResponse(response);
    return response.message as Message;
  };
}

/**
 * Wraps a streaming implementation in interceptors, the first one outermost. They see streams in both directions. The returned promise
 * settles when they return, before any message is read.
 */
export function interceptStream(spec: StreamSpec, interceptors: readonly Interceptor[]) {
  return async (inputs: AsyncIterable<Message>, context: RpcContext): Promise<AsyncIterable<Message>> => {
    const request = createRequest(context, true, inputs);
    const next = applyInterceptors(async (given) => {
      const messages = given.message as AsyncIterable<Message>;
      const outputs = await invokeStream(spec, messages, contextOf(given, request, context));
      return createResponse(context, true, createMessages(spec.method.output, outputs)) as StreamResponse;
    }, interceptors);
    const response = await next(request);
    context.takeResponse(response);
    return response.message as AsyncIterable<Message>;
  };
}

async function invokeStream(
  spec: StreamSpec,
  messages: AsyncIterable<Message>,
  context: HandlerContext,
): Promise<AsyncIterable<MessageInitShape<DescMessage>>> {
  switch (spec.kind) {
    case "server_streaming":
      return spec.impl(await requireFirstMessage(messages), context);
    case "client_streaming":
      return streamOf(await spec.impl(messages, context));
    case "bidi_streaming":
      return spec.impl(messages, context);
  }
}

/** Applies interceptors. As in Connect, this happens for each RPC, so that variables of an interceptor belong to one RPC. */
function applyInterceptors(call: AnyFn, interceptors: readonly Interceptor[]): AnyFn {
  return interceptors.reduceRight((next, interceptor) => interceptor(next), call);
}

function createRequest(context: RpcContext, stream: boolean, message: unknown): AnyRequest {
  const request = {
    stream,
    message,
    method: context.method,
    service: context.service,
    requestMethod: context.requestMethod,
    url: context.url,
    contextValues: context.values,
    [CONTEXT]: context,
  };
  // Getters, because few interceptors read these properties. TypeScript does not see properties that are defined this way.
  return Object.defineProperty(Object.defineProperty(request, "signal", SIGNAL), "header", HEADER) as never;
}

/** Returns the handler's context for the request that the interceptors passed on, with their replacements, as in Connect. */
function contextOf(given: AnyRequest, request: AnyRequest, context: RpcContext): HandlerContext {
  if (given === request) return context;
  return {
    service: given.service,
    method: context.method,
    requestMethod: context.requestMethod,
    url: context.url,
    signal: given.signal,
    requestHeader: given.header,
    values: given.contextValues,
    protocolName: context.protocolName,
    timeoutMs: context.timeoutMs,
    responseHeader: context.responseHeader,
    responseTrailer: context.responseTrailer,
  };
}

function createResponse(context: RpcContext, stream: boolean, message: unknown): UnaryResponse | StreamResponse {
  const response = { stream, message, method: context.method, service: context.service, [CONTEXT]: context };
  // As in `createRequest`.
  return Object.defineProperty(Object.defineProperty(response, "header", RESPONSE_HEADER), "trailer", TRAILER) as never;
}

/** The property of requests and responses that holds the context of their RPC. */
const CONTEXT = Symbol("RpcContext");

// Getters, because these objects are expensive and rarely used. They are own properties, because an interceptor may spread a
// request. All RPCs share their descriptors, because V8 is several times slower with getters in an object literal.
const SIGNAL = lazyProperty((context) => context.signal);
const HEADER = lazyProperty((context) => context.requestHeader);
const RESPONSE_HEADER = lazyProperty((context) => context.responseHeader);
const TRAILER = lazyProperty((context) => context.responseTrailer);

function lazyProperty(read: (context: RpcContext) => unknown): PropertyDescriptor {
  return {
    enumerable: true,
    get(this: { [CONTEXT]: RpcContext }) {
      return read(this[CONTEXT]);
    },
  };
}

/** Creates a stream of one message. */
export async function* streamOf<T>(message: T): AsyncIterable<T> {
  yield message;
}

/** Returns the first message of a stream. Throws an Error if there is none, because an interceptor dropped it. */
export async function requireFirstMessage(messages: AsyncIterable<Message>): Promise<Message> {
  for await (const message of messages) return message;
  throw new Error("an interceptor dropped the message");
}

async function* createMessages(
  desc: DescMessage,
  inits: AsyncIterable<MessageInitShape<DescMessage>>,
): AsyncIterable<Message> {
  for await (const init of inits) yield create(desc, init);
}
