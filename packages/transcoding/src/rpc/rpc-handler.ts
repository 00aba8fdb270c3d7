import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { MethodImplSpec } from "@connectrpc/connect";
import { type MethodOptions, recordMethods } from "../calls/recorded-method.js";
import { createUnaryEndpoint } from "../calls/unary-endpoint.js";
import type { HttpHandler } from "../http/http-handler.js";
import type { MutableResponse } from "../http/http-response.js";
import { compressResponse } from "../responses/compress-response.js";
import { createFailureReader, type FailureReader } from "../responses/failure.js";
import { createConnectCodec, findConnectCall } from "./connect-codec.js";
import { createConnectFormats } from "./connect-format.js";
import { createConnectHandlers, type RpcEndpoint } from "./connect-handlers.js";
import { createGrpcCodec, isPlainGrpc } from "./grpc-codec.js";
import type { RpcOptions } from "./rpc-options.js";

/** Serves services over gRPC, gRPC-Web and the Connect protocol. `handle` returns undefined for a path that is not a procedure. */
export type RpcHandler = HttpHandler;

/**
 * Creates the handler. It serves uncompressed unary calls of gRPC over HTTP/2 and of the Connect protocol directly. Connect's own
 * handlers serve all other requests: streams, gRPC-Web, compressed requests, and gRPC over HTTP/1.1.
 */
export function createRpcHandler(options: RpcOptions): RpcHandler {
  const readFailure = createFailureReader(options.errorDomain ?? "", options.onError);
  const methods = recordMethods(options);
  const serve = createConnectHandlers(methods, readFailure, options);
  const endpoints = new Map<string, RpcEndpoint>();
  for (const recorded of methods.values()) {
    const { spec } = recorded;
    const others = serve(recorded);
    const endpoint =
      spec.kind === "unary" ? createPlainEndpoint(spec, recorded.options, readFailure, options, others) : others;
    const path = `/${spec.method.parent.typeName}/${spec.method.name}`;
    for (const prefix of new Set(["", options.basePath ?? ""])) endpoints.set(prefix + path, endpoint);
  }
  return {
    handle(request) {
      const { target } = request;
      const mark = target.indexOf("?");
      return endpoints.get(mark === -1 ? target : target.slice(0, mark))?.(request);
    },
  };
}

/** Serves the plain calls of a unary method, and hands over all others. */
function createPlainEndpoint(
  spec: MethodImplSpec & { kind: "unary" },
  options: MethodOptions,
  readFailure: FailureReader,
  { json = {}, validate, compression = true }: RpcOptions,
  others: RpcEndpoint,
): RpcEndpoint {
  const { method } = spec;
  const { readMaxBytes } = options;
  const formats = createConnectFormats(method, json);
  const takesGet = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  const grpc = createUnaryEndpoint(spec, options, createGrpcCodec(method, readMaxBytes, readFailure));
  const connect = createUnaryEndpoint(spec, options, createConnectCodec(readMaxBytes, readFailure, validate));
  return (request) => {
    const contentType = request.header("content-type");
    if (isPlainGrpc(request, contentType)) return grpc(request, undefined);
    const call = findConnectCall(request, contentType, formats, takesGet);
    if (call === undefined) return others(request);
    const response = connect(request, call);
    return compression ? response.then((given: MutableResponse) => compressResponse(request, given)) : response;
  };
}
