import { toBinary } from "@bufbuild/protobuf";
import type { ContextValues, MethodImplSpec } from "@connectrpc/connect";
import { CallContext } from "../../calls/call-context.js";
import { createUnaryCall } from "../../calls/method-call.js";
import type { MethodOptions } from "../../calls/recorded-method.js";
import { runCall } from "../../calls/run-call.js";
import { parseGrpcTimeout } from "../../calls/timeout.js";
import type { FailureReader } from "../../responses/failure.js";
import { decodeProto } from "../proto-message.js";
import { GrpcRequest } from "./grpc-request.js";
import { sendGrpcFailure, sendGrpcMessage } from "./grpc-response.js";
import type { GrpcStream } from "./grpc-stream.js";

/** Answers the calls of one method. Never rejects: every failure is an answer. */
export type GrpcEndpoint = (stream: GrpcStream, values: ContextValues | undefined) => Promise<void>;

/** Creates the endpoint of a unary method: read, decode, call, encode, and nothing in between. */
export function createGrpcEndpoint(
  spec: MethodImplSpec & { kind: "unary" },
  options: MethodOptions,
  readFailure: FailureReader,
): GrpcEndpoint {
  const { method } = spec;
  const { readMaxBytes, requestGate } = options;
  const call = createUnaryCall(spec, options.interceptors);
  return async (stream, values) => {
    let context: CallContext | undefined;
    try {
      const request = new GrpcRequest(stream, values, readMaxBytes);
      const opened = openContext(request);
      context = opened;
      const run = async () => {
        const admitted = requestGate?.(opened);
        if (admitted !== undefined) await admitted;
        const bytes = await request.readMessage();
        opened.throwIfEnded();
        return call(decodeProto(method.input, bytes), opened);
      };
      const message = await runCall(opened, options, run);
      const bytes = toBinary(method.output, message);
      // Before the stream is closed, which would otherwise look as if the client had gone away.
      opened.finish();
      sendGrpcMessage(stream, bytes, opened);
    } catch (error) {
      const failure = readFailure(error, context);
      context?.finish();
      sendGrpcFailure(stream, failure, context);
    }
  };

  function openContext(request: GrpcRequest): CallContext {
    const timeout = request.header("grpc-timeout");
    const timeoutMs = timeout === undefined ? undefined : parseGrpcTimeout(timeout, options.maxTimeoutMs);
    return new CallContext("grpc", method, request, timeoutMs, options.shutdownSignal);
  }
}
