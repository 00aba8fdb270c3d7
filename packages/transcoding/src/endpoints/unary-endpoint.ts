import type { Message } from "@bufbuild/protobuf";
import type { DecodedRequest } from "../decode/decode-request.js";
import type { HttpRequest } from "../http/http-request.js";
import type { HttpResponse } from "../http/http-response.js";
import { interceptUnary, type UnarySpec } from "./intercept-method.js";
import type { MethodOptions } from "./recorded-method.js";
import { type MessageValidator, rejectViolations } from "./reject-violations.js";
import { RpcContext } from "./rpc-context.js";
import { checkTimeout } from "./timeout.js";

/**
 * Reads and answers the unary RPCs of a method in one protocol.
 *
 * @typeParam D the data that routing a request provides, such as the values of its path.
 * @typeParam R the type of the responses.
 */
export interface UnaryCodec<D, R extends HttpResponse = HttpResponse> {
  readonly protocolName: string;
  /** Reads the client's timeout in milliseconds; undefined if there is none. Throws a `RequestError` if it is malformed. */
  readTimeout(request: HttpRequest): number | undefined;
  /** Reads the message, synchronously if its bytes have arrived. Throws or rejects if the request is malformed. */
  read(request: HttpRequest, details: D): DecodedRequest | Promise<DecodedRequest>;
  /** Writes the response of a successful RPC. Throws or rejects if the message cannot be encoded. */
  write(message: Message, context: RpcContext, request: HttpRequest, details: D): R | Promise<R>;
  /** Writes the response of a failed RPC. The context is undefined if the request failed before the RPC started. */
  fail(error: unknown, context: RpcContext | undefined, request: HttpRequest): R;
}

/** Creates the context, calls the gate, reads the message, calls the method and writes the response. Never rejects. */
export function createUnaryEndpoint<D, R extends HttpResponse>(
  spec: UnarySpec,
  options: MethodOptions,
  codec: UnaryCodec<D, R>,
  validate: MessageValidator | undefined,
) {
  const { protocolName } = codec;
  const { requestGate, maxTimeoutMs, shutdownSignal, aroundDeadline } = options;
  const invoke = interceptUnary(spec, options.interceptors);
  const callWith = (decoded: DecodedRequest, context: RpcContext): Promise<Message> => {
    context.throwIfEnded();
    return decoded.violations.length === 0
      ? invoke(decoded.message, context)
      : rejectViolations(decoded, context, validate);
  };
  const readAndCall = (request: HttpRequest, details: D, context: RpcContext): Promise<Message> => {
    const decoded = codec.read(request, details);
    return decoded instanceof Promise ? decoded.then((read) => callWith(read, context)) : callWith(decoded, context);
  };
  const admitAndCall = (request: HttpRequest, details: D, context: RpcContext): Promise<Message> => {
    const admitted = requestGate?.(context);
    return admitted === undefined
      ? readAndCall(request, details, context)
      : admitted.then(() => readAndCall(request, details, context));
  };
  return async (request: HttpRequest, details: D): Promise<R> => {
    let context: RpcContext | undefined;
    try {
      const timeoutMs = codec.readTimeout(request);
      checkTimeout(timeoutMs, maxTimeoutMs);
      const opened = new RpcContext(protocolName, spec.method, request, timeoutMs, shutdownSignal);
      context = opened;
      const message = await opened.run(() => admitAndCall(request, details, opened), aroundDeadline);
      return await codec.write(message, opened, request, details);
    } catch (error) {
      return codec.fail(error, context, request);
    } finally {
      context?.finish();
    }
  };
}
