import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, type ContextValues, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import type { RequestGate } from "../../calls/recorded-method.js";
import { createFailureReader, type Failure, type FailureReader } from "../../responses/failure.js";
import { RequestError } from "../../responses/request-error.js";
import { malformedProto } from "../proto-message.js";

/** Options for Connect's own handlers that give their failures the form of all other failures. */
export interface ConnectFailures {
  /** Must be the first interceptor. */
  readonly interceptor: Interceptor;
  readonly requestGate: RequestGate;
}

/** Settings for {@link createConnectFailures}. */
export interface ConnectFailuresOptions {
  /** The most bytes that the handler of a method reads of a message. */
  readonly readMaxBytes: (method: DescMethod) => number;
  /** The gate that calls pass otherwise. */
  readonly requestGate?: RequestGate;
  /** The domain of the `google.rpc.ErrorInfo` of errors that have none of their own. */
  readonly errorDomain: string;
  /** Called with the code of each call that fails, before the failure is sent. */
  readonly onFailure?: (values: ContextValues, code: Code) => void;
}

/** A method of the handlers' context that its type lacks. The handlers call it with the error of a call before they send the error. */
interface Abortable {
  abort(reason?: unknown): void;
}

const BAD_TIMEOUT = /^protocol error: invalid \w+ timeout value/;
const BAD_BINARY = /^parse binary: /;
/** Connect quotes names and values of the request, which can be as long as its body. */
const MAX_MESSAGE_LENGTH = 300;

/**
 * Creates options that correct the failures of Connect's handlers. Without them, a request that cannot be decoded is `INTERNAL`, errors
 * have no details, and a call whose error message has an unpaired surrogate is never answered.
 */
export function createConnectFailures(options: ConnectFailuresOptions): ConnectFailures {
  const readFailure = createFailureReader(options.errorDomain, undefined);
  const readBadRequest = (error: unknown, { method }: Pick<HandlerContext, "method">) =>
    readFailure(errorOfBadRequest(error, method.input.typeName, options.readMaxBytes(method)), undefined);
  /** Calls that reached the interceptors or were rejected by the gate: from then on, an error is not about decoding. */
  const passed = new WeakSet<ContextValues>();
  return {
    interceptor: (next) => (request) => {
      passed.add(request.contextValues);
      if (!request.stream) return next(request);
      const message = readMessages(request.message, (error) => createError(readBadRequest(error, request)));
      return next({ ...request, message });
    },
    async requestGate(context) {
      onAbort(context, (reason) => {
        const failure = passed.has(context.values) ? readFailure(reason, undefined) : readBadRequest(reason, context);
        options.onFailure?.(context.values, failure.code);
        setFailure(reason, failure);
      });
      try {
        await options.requestGate?.(context);
      } catch (error) {
        passed.add(context.values);
        throw error;
      }
    },
  };
}

/** Calls back with the error of a call before the error is sent. */
function onAbort(context: HandlerContext, listener: (reason: Error) => void): void {
  const abortable = context as HandlerContext & Abortable;
  const { abort } = abortable;
  abortable.abort = (reason) => {
    if (reason instanceof Error) listener(reason);
    abort(reason);
  };
}

async function* readMessages<T>(messages: AsyncIterable<T>, mend: (error: unknown) => Error): AsyncIterable<T> {
  try {
    yield* messages;
  } catch (error) {
    throw mend(error);
  }
}

/** Translates the error of a request that Connect could not read. */
function errorOfBadRequest(error: unknown, typeName: string, maxBytes: number): unknown {
  const { code, rawMessage } =
    error instanceof ConnectError ? error : new ConnectError("the message cannot be decoded", Code.InvalidArgument);
  switch (code) {
    case Code.ResourceExhausted:
      return new RequestError("BODY_TOO_LARGE", `the message must be at most ${maxBytes} bytes`);
    case Code.InvalidArgument:
    case Code.Internal:
    case Code.Unknown:
      if (BAD_BINARY.test(rawMessage)) return malformedProto(typeName);
      return new RequestError(
        BAD_TIMEOUT.test(rawMessage) ? "HEADER_MALFORMED" : "BODY_MALFORMED",
        shorten(rawMessage),
      );
    default:
      // The client disconnected, its deadline passed, or it asks for an unknown encoding.
      return error;
  }
}

function shorten(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
}

function createError({ code, message, details, headers }: Failure): ConnectError {
  return new ConnectError(message, code, Object.fromEntries(headers), [...details] as never);
}

/** Turns an error into a ConnectError in place. Connect recognises a ConnectError by its properties. */
function setFailure(error: Error, { code, message, details }: ReturnType<FailureReader>): void {
  const { metadata = new Headers(), cause } = error as Partial<ConnectError>;
  const properties = { name: "ConnectError", code, rawMessage: message, details, metadata, cause };
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(error, name, { value, configurable: true, writable: true });
  }
}
