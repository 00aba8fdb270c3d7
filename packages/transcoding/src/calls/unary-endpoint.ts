import type { Message } from "@bufbuild/protobuf";
import type { MethodImplSpec } from "@connectrpc/connect";
import type { HttpRule } from "../rules/http-rule.js";
import { type Endpoint, type EndpointOptions, openContext } from "./endpoint.js";
import { createUnaryCall } from "./method-call.js";
import { createMessageReader } from "./read-message.js";
import type { MethodOptions } from "./recorded-method.js";
import { runCall } from "./run-call.js";
import { createResponseWriter } from "./unary-response.js";

/** Creates the endpoint of a unary method: read, decode, call, encode, and nothing in between. */
export function createUnaryEndpoint(
  rule: HttpRule,
  spec: MethodImplSpec & { kind: "unary" },
  options: MethodOptions,
  shared: EndpointOptions,
): Endpoint {
  const read = createMessageReader(rule, { ...shared, decode: shared.json, readMaxBytes: options.readMaxBytes });
  const call = createUnaryCall(spec, options.interceptors);
  const write = createResponseWriter(rule, shared);
  const { requestGate } = options;
  return async (request, target, values) => {
    const context = openContext(rule, request, options);
    const answer = (input: Message) => {
      context.throwIfEnded();
      return call(input, context);
    };
    const readAndAnswer = () => {
      const input = read(request, values, target.query, context);
      return input instanceof Promise ? input.then(answer) : answer(input);
    };
    const run =
      requestGate === undefined
        ? readAndAnswer
        : () => {
            const admitted = requestGate(context);
            return admitted === undefined ? readAndAnswer() : admitted.then(readAndAnswer);
          };
    try {
      const message = await runCall(context, options, run);
      return write(request, target, message, context);
    } catch (error) {
      return shared.errors.encode(error, context);
    } finally {
      context.finish();
    }
  };
}
