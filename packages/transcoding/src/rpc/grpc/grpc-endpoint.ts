import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { toBinary } from "@bufbuild/protobuf";
import type { ContextValues, MethodImplSpec } from "@connectrpc/connect";
import { CallContext } from "../../calls/call-context.js";
import { createUnaryCall } from "../../calls/method-call.js";
import type { MethodOptions } from "../../calls/recorded-method.js";
import { parseGrpcTimeout } from "../../calls/timeout.js";
import type { FailureReader } from "../../responses/failure.js";
import { decodeProto } from "../proto-message.js";
import { GrpcRequest } from "./grpc-request.js";
import { sendGrpcFailure, sendGrpcMessage } from "./grpc-response.js";

/** Answers the calls of one method. Never rejects: every failure is an answer. */
export type GrpcEndpoint = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  values: ContextValues | undefined,
) => Promise<void>;

/** Creates the endpoint of a unary method: read, decode, call, encode, and nothing in between. */
export function createGrpcEndpoint(
  spec: MethodImplSpec & { kind: "unary" },
  options: MethodOptions,
  readFailure: FailureReader,
): GrpcEndpoint {
  const { method } = spec;
  const { readMaxBytes, requestGate } = options;
  const call = createUnaryCall(spec, options.interceptors);
  return async (stream, headers, values) => {
    let context: CallContext | undefined;
    try {
      const request = new GrpcRequest(stream, headers, values);
      const opened = openContext(request, headers);
      context = opened;
      const run = async () => {
        if (requestGate !== undefined) await requestGate(opened);
        const bytes = await request.readMessage(readMaxBytes);
        opened.throwIfEnded();
        return call(decodeProto(method.input, bytes), opened);
      };
      const message = await (opened.hasDeadline ? opened.race(run) : run());
      sendGrpcMessage(stream, toBinary(method.output, message), opened);
    } catch (error) {
      sendGrpcFailure(stream, readFailure(error, context), context);
    } finally {
      context?.finish();
    }
  };

  function openContext(request: GrpcRequest, headers: IncomingHttpHeaders): CallContext {
    const timeout = headers["grpc-timeout"] as string | undefined;
    const timeoutMs = timeout === undefined ? undefined : parseGrpcTimeout(timeout, options.maxTimeoutMs);
    return new CallContext("grpc", method, request, timeoutMs, options.shutdownSignal);
  }
}
