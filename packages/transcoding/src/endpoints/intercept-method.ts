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
/** A message, or its fields without `$typeName`. Handlers may return either. */
export type MessageInit = MessageInitShape<DescMessage>;
export type UnaryMethodSpec = MethodImplSpec & { kind: "unary" };
export type StreamMethodSpec = Exclude<MethodImplSpec, { kind: "unary" }>;

/** Wraps the implementation of a unary method in interceptors. The first interceptor is the outermost one. */
export function interceptUnaryMethod(
  spec: UnaryMethodSpec,
  interceptors: readonly Interceptor[],
): (message: Message, context: RpcContext) => Promise<Message> {
  const { output } = spec.method;
  const invoke = async (message: Message, context: HandlerContext) => create(output, await spec.impl(message, context));
  if (interceptors.length === 0) return invoke;
  return async (input, context) => {
    const request = createRequest(context, false, input);
    let created: UnaryResponse | undefined;
    const next = applyInterceptors(async (given) => {
      const message = await invoke(given.message as Message, createHandlerContext(given, request, context));
      created = createResponse(context, false, message) as UnaryResponse;
      return created;
    }, interceptors);
    const response = await next(request);
    if (response !== created) context.takeResponse(response);
    return response.message as Message;
  };
}

/**
 * Wraps the implementation of a streaming method in interceptors. The first interceptor is the outermost one. Requests and responses are streams for
 * all interceptors. The created function's promise settles when the interceptors return, before any response message is read. Without interceptors,
 * the stream contains the values that the handler yields, which may lack `$typeName`.
 */
export function interceptStreamMethod(
  spec: StreamMethodSpec,
  interceptors: readonly Interceptor[],
): (inputs: AsyncIterable<Message>, context: RpcContext) => Promise<AsyncIterable<MessageInit>> {
  if (interceptors.length === 0) return (inputs, context) => invokeStream(spec, inputs, context);
  return async (inputs, context) => {
    const request = createRequest(context, true, inputs);
    let created: StreamResponse | undefined;
    const next = applyInterceptors(async (given) => {
      const messages = given.message as AsyncIterable<Message>;
      const outputs = await invokeStream(spec, messages, createHandlerContext(given, request, context));
      created = createResponse(context, true, createMessages(spec.method.output, outputs)) as StreamResponse;
      return created;
    }, interceptors);
    const response = await next(request);
    if (response !== created) context.takeResponse(response);
    return response.message as AsyncIterable<Message>;
  };
}

async function invokeStream(
  spec: StreamMethodSpec,
  messages: AsyncIterable<Message>,
  context: HandlerContext,
): Promise<AsyncIterable<MessageInit>> {
  switch (spec.kind) {
    case "server_streaming":
      return spec.impl(await requireFirstMessage(messages), context);
    case "client_streaming":
      return createSingleMessageStream(await spec.impl(messages, context));
    case "bidi_streaming":
      return spec.impl(messages, context);
  }
}

/** Wraps a function in interceptors. As in Connect, each RPC wraps the function again, so that an interceptor's local variables belong to one RPC. */
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
  // `signal` and `header` are getters, because few interceptors read them. The cast is needed because TypeScript does not see properties that
  // `Object.defineProperty` adds.
  return Object.defineProperty(Object.defineProperty(request, "signal", SIGNAL), "header", HEADER) as never;
}

/** Returns the context for the handler. As in Connect, it contains the values that interceptors have replaced in the request. */
function createHandlerContext(given: AnyRequest, request: AnyRequest, context: RpcContext): HandlerContext {
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
  // `header` and `trailer` are getters that create the headers only if an interceptor reads them. The cast is needed because TypeScript does not see
  // properties that `Object.defineProperty` adds.
  return Object.defineProperty(Object.defineProperty(response, "header", RESPONSE_HEADER), "trailer", TRAILER) as never;
}

/** The property of requests and responses that contains the context of their RPC. */
const CONTEXT = Symbol("RpcContext");

// Requests and responses have getters for signals and headers, because signals and headers are expensive to create and rarely used. The getters are
// own properties, because an interceptor may spread a request. All RPCs share these property descriptors, because V8 is several times slower with
// getters in an object literal.
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

export async function* createSingleMessageStream<T>(message: T): AsyncIterable<T> {
  yield message;
}

/** Returns the first message of a stream. Throws an Error if the stream is empty, because an interceptor dropped the message. */
export async function requireFirstMessage<T>(messages: AsyncIterable<T>): Promise<T> {
  for await (const message of messages) return message;
  throw new Error("an interceptor dropped the only message of the RPC: pass the message on");
}

async function* createMessages(desc: DescMessage, inits: AsyncIterable<MessageInit>): AsyncIterable<Message> {
  for await (const init of inits) yield create(desc, init);
}
