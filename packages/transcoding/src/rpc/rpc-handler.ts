import type { Http2SecureServer, Http2Server } from "node:http2";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { defaultMethodOptions, recordMethods } from "../calls/recorded-method.js";
import { createFailureReader, failureToConnectError } from "../responses/failure.js";
import type { NodeHandler } from "../runtimes/node-handler.js";
import { type BodyBounds, boundBodies } from "./bounded-body.js";
import { createConnectEndpoint } from "./connect/connect-endpoint.js";
import { createConnectFormats } from "./connect/connect-format.js";
import { type ConnectMethod, createConnectHandler } from "./connect/connect-handler.js";
import { createGrpcEndpoint, type GrpcEndpoint } from "./grpc/grpc-endpoint.js";
import { createGrpcHandler, type GrpcHandler } from "./grpc/grpc-handler.js";
import { handleNodeStreams } from "./grpc/node-grpc-stream.js";
import type { RpcOptions } from "./rpc-options.js";

/** Serves the plain unary calls of gRPC and of the Connect protocol on Node's servers. */
export interface RpcHandler {
  /** A listener for requests: answers the calls of the Connect protocol, and leaves everything else to the fallback. */
  readonly handleRequest: NodeHandler;
  /** Answers the gRPC call that a stream of HTTP/2 is; false leaves any other stream, untouched, to be served as a request. */
  readonly handleStream: GrpcHandler;
  /** Has a server of `node:http2` answer gRPC calls so; its other streams go to the listeners that it has by then. */
  readonly handleStreams: (server: Http2Server | Http2SecureServer) => void;
}

/**
 * Creates the handler. A unary call that is one message of plain protobuf or JSON each way goes straight from the request to
 * the implementation, through the same interceptors as in Connect. Everything else goes to `options.fallback`: streams,
 * gRPC-Web, requests that are compressed, gRPC on HTTP/1.1, other content types.
 */
export function createRpcHandler(options: RpcOptions): RpcHandler {
  const readFailure = createFailureReader(options.errorDomain ?? "", options.onError);
  const grpc = new Map<string, GrpcEndpoint>();
  const connect = new Map<string, ConnectMethod>();
  const bounds = new Map<string, BodyBounds>();
  const json = options.json ?? {};
  const errorOf = (error: unknown) => failureToConnectError(readFailure(error, undefined));
  for (const [method, recorded] of recordMethods(options.routes, defaultMethodOptions(options))) {
    const { spec } = recorded;
    const path = `/${method.parent.typeName}/${method.name}`;
    bounds.set(path, { maxBytes: recorded.options.readMaxBytes, errorOf, onTaken: options.onBodyTaken });
    if (spec.kind !== "unary") continue;
    grpc.set(path, createGrpcEndpoint(spec, recorded.options, readFailure));
    connect.set(path, {
      endpoint: createConnectEndpoint(spec, recorded.options, readFailure, options.validate),
      formats: createConnectFormats(method, json),
      takesGet: method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS,
    });
  }
  const handleStream = createGrpcHandler(grpc, options);
  return {
    handleRequest: createConnectHandler(connect, { ...options, fallback: boundBodies(options.fallback, bounds) }),
    handleStream,
    handleStreams: (server) => handleNodeStreams(server, handleStream),
  };
}
