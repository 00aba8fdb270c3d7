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
import type { CallContext } from "./call-context.js";

/** Calls a unary implementation through its interceptors. */
export type UnaryCall = (message: Message, context: CallContext) => Promise<Message>;

/** Calls a server-streaming implementation through its interceptors. Settles when the interceptors have; nothing is read yet. */
export type StreamCall = (message: Message, context: CallContext) => Promise<AsyncIterable<Message>>;

type AnyRequest = UnaryRequest | StreamRequest;
type AnyFn = Parameters<Interceptor>[0];
type UnarySpec = MethodImplSpec & { kind: "unary" };
type StreamSpec = MethodImplSpec & { kind: "server_streaming" };

/** Where a request that went through interceptors keeps its call; `{...request}` takes it along. */
const CONTEXT = Symbol("CallContext");

/** Wraps a unary implementation in interceptors, the first one outermost. They are applied here, not with every call. */
export function createUnaryCall(spec: UnarySpec, interceptors: readonly Interceptor[]): UnaryCall {
  const { output } = spec.method;
  if (interceptors.length === 0) {
    return async (message, context) => create(output, await spec.impl(message, context));
  }
  const next = applyInterceptors(async (request) => {
    const context = contextOf(request);
    const message = create(output, await spec.impl(request.message as Message, context));
    return { stream: false, message, ...responseCommon(context) } as UnaryResponse;
  }, interceptors);
  return async (message, context) => {
    const response = await next(createRequest(context, { stream: false, message }));
    context.takeResponse(response.header, response.trailer);
    return response.message as Message;
  };
}

/** Wraps a server-streaming implementation in interceptors, the first one outermost. They are applied here, not with every call. */
export function createStreamCall(spec: StreamSpec, interceptors: readonly Interceptor[]): StreamCall {
  const next = applyInterceptors(async (request) => {
    const context = contextOf(request);
    const outputs = spec.impl(await firstOf(request.message as AsyncIterable<Message>), context);
    const message = createMessages(spec.method.output, outputs);
    return { stream: true, message, ...responseCommon(context) } as StreamResponse;
  }, interceptors);
  return async (message, context) => {
    const response = await next(createRequest(context, { stream: true, message: once(message) }));
    context.takeResponse(response.header, response.trailer);
    return response.message as AsyncIterable<Message>;
  };
}

function applyInterceptors(call: AnyFn, interceptors: readonly Interceptor[]): AnyFn {
  return interceptors.reduceRight((next, interceptor) => interceptor(next), call);
}

function createRequest(context: CallContext, input: { stream: boolean; message: unknown }): AnyRequest {
  const request = {
    ...input,
    method: context.method,
    service: context.service,
    requestMethod: context.requestMethod,
    url: context.url,
    contextValues: context.values,
    [CONTEXT]: context,
  };
  // Own properties, for an interceptor may spread the request; lazy ones, for most look at neither.
  Object.defineProperty(request, "signal", LAZY_SIGNAL);
  Object.defineProperty(request, "header", LAZY_HEADER);
  context.interceptedRequest = request;
  return request as unknown as AnyRequest;
}

const LAZY_SIGNAL = {
  enumerable: true,
  get(this: { [CONTEXT]: CallContext }) {
    return this[CONTEXT].signal;
  },
};

const LAZY_HEADER = {
  enumerable: true,
  get(this: { [CONTEXT]: CallContext }) {
    return this[CONTEXT].requestHeader;
  },
};

/** The handler's context for a request that came out of the interceptors: what they changed of it holds. */
function contextOf(request: AnyRequest & { [CONTEXT]?: CallContext }): HandlerContext {
  const context = request[CONTEXT];
  if (context !== undefined && context.interceptedRequest === request) return context;
  return {
    service: request.service,
    method: request.method,
    requestMethod: request.requestMethod,
    url: request.url,
    signal: request.signal,
    requestHeader: request.header,
    values: request.contextValues,
    protocolName: context?.protocolName ?? "transcoding",
    timeoutMs: context?.timeoutMs ?? (() => undefined),
    responseHeader: context?.responseHeader ?? new Headers(),
    responseTrailer: context?.responseTrailer ?? new Headers(),
  };
}

function responseCommon(context: HandlerContext): object {
  return {
    method: context.method,
    service: context.service,
    header: context.responseHeader,
    trailer: context.responseTrailer,
  };
}

async function* once(message: Message): AsyncIterable<Message> {
  yield message;
}

async function firstOf(messages: AsyncIterable<Message>): Promise<Message> {
  for await (const message of messages) return message;
  throw new Error("an interceptor dropped the request message");
}

async function* createMessages(
  desc: DescMessage,
  inits: AsyncIterable<MessageInitShape<DescMessage>>,
): AsyncIterable<Message> {
  for await (const init of inits) yield create(desc, init);
}
