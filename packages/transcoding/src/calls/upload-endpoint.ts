import type { Message } from "@bufbuild/protobuf";
import type { MethodImplSpec } from "@connectrpc/connect";
import type { HttpRule } from "../rules/http-rule.js";
import { type Endpoint, type EndpointOptions, openContext } from "./endpoint.js";
import { createStreamCall, requireFirst } from "./method-call.js";
import type { MethodOptions } from "./recorded-method.js";
import { runCall } from "./run-call.js";
import { createResponseWriter } from "./unary-response.js";
import { createUploadReader } from "./upload-messages.js";

/** Creates the endpoint of a client-streaming method. It passes the body to the handler as it arrives. */
export function createUploadEndpoint(
  rule: HttpRule,
  spec: MethodImplSpec & { kind: "client_streaming" },
  options: MethodOptions,
  shared: EndpointOptions,
): Endpoint {
  const read = createUploadReader(rule, shared);
  const call = createStreamCall(spec, options.interceptors);
  const write = createResponseWriter(rule, shared);
  const { requestGate } = options;
  return async (request, details) => {
    const context = openContext(rule, request, options);
    let messages: AsyncGenerator<Message, void> | undefined;
    const upload = async () => {
      if (requestGate !== undefined) await requestGate(context);
      messages = await read(request, context, details);
      return requireFirst(await call(messages, context));
    };
    try {
      // Raced even without a deadline, because the client may disconnect while the handler waits for a message.
      const message = await context.race(() => runCall(context, options, upload));
      return write(message, context, request, details);
    } catch (error) {
      return shared.errors.encode(error, context);
    } finally {
      context.finish();
      // Not awaited, because a handler that still waits for a message would delay the response.
      messages?.return().catch(() => {});
    }
  };
}
