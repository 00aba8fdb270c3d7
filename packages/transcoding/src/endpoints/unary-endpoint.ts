import type { Message } from "@bufbuild/protobuf";
import type { DecodedRequest } from "../decode/decode-request.js";
import type { HttpRequest } from "../http/http-request.js";
import type { HttpResponse } from "../http/http-response.js";
import { interceptUnaryMethod, type UnaryMethodSpec } from "./intercept-method.js";
import type { MethodOptions } from "./registered-method.js";
import { type MessageValidator, rejectViolations } from "./reject-violations.js";
import { RpcContext } from "./rpc-context.js";
import { checkTimeoutLimit } from "./timeout.js";

/**
 * Reads the requests and writes the responses for a unary method in one protocol.
 *
 * @typeParam D the data from routing a request, such as the values in its path.
 * @typeParam R the type of the responses.
 */
export interface UnaryCodec<D, R extends HttpResponse = HttpResponse> {
  readonly protocolName: string;
  /** Returns the client's timeout in milliseconds; undefined if the client set none. Throws a `RequestError` if the timeout is malformed. */
  readTimeout(request: HttpRequest): number | undefined;
  /** Reads the request message, synchronously if it needs no further bytes. Throws or rejects if the request is malformed. */
  read(request: HttpRequest, details: D): DecodedRequest | Promise<DecodedRequest>;
  /** Writes the response to a successful RPC. Throws or rejects if the response message cannot be encoded. */
  write(message: Message, context: RpcContext, request: HttpRequest, details: D): R | Promise<R>;
  /** Writes the response to a failed RPC. `context` is undefined if the request failed before the RPC began. */
  fail(error: unknown, context: RpcContext | undefined, request: HttpRequest): R;
}

/** Creates the function that serves a request: calls the request gate, reads the message, calls the method, writes the response. Never rejects. */
export function createUnaryEndpoint<D, R extends HttpResponse>(
  spec: UnaryMethodSpec,
  options: MethodOptions,
  codec: UnaryCodec<D, R>,
  validate: MessageValidator | undefined,
) {
  const { protocolName } = codec;
  const { requestGate, maxTimeoutMs, shutdownSignal, aroundDeadline } = options;
  const invoke = interceptUnaryMethod(spec, options.interceptors);
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
      checkTimeoutLimit(timeoutMs, maxTimeoutMs);
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
