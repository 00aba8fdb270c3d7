import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { createOnFirstCall } from "../endpoints/create-on-first-call.js";
import type { UnaryMethodSpec } from "../endpoints/intercept-method.js";
import { collectRegisteredMethods, type MethodOptions } from "../endpoints/registered-method.js";
import { createUnaryEndpoint } from "../endpoints/unary-endpoint.js";
import type { HttpHandler, HttpRoute } from "../http/http-handler.js";
import type { HttpRequest } from "../http/http-request.js";
import type { HttpResponse } from "../http/http-response.js";
import { RequestError } from "../http/request-error.js";
import { compressResponse } from "../responses/compress-response.js";
import { createFailureConverter, type FailureConverter } from "../responses/failure.js";
import { getTargetPath } from "../routing/request-target.js";
import { type ConnectRequestDetails, createConnectCodec, parseConnectGet } from "./connect-codec.js";
import { createConnectEndpointFactory } from "./connect-endpoint.js";
import { createGrpcCodec } from "./grpc-codec.js";
import { createMessageFormats, type MessageFormat } from "./message-format.js";
import { createProcedureHandler, type ProcedureEndpoint } from "./procedure.js";
import type { RpcOptions } from "./rpc-options.js";

const GRPC_WEB = ["application/grpc-web", "application/grpc-web+proto", "application/grpc-web+json"];
const STREAMS = [
  ...["application/grpc", "application/grpc+proto", "application/grpc+json"],
  ...["application/connect+proto", "application/connect+json"],
];

/**
 * Creates the handler for gRPC, gRPC-Web and the Connect protocol. Its `route` returns undefined for a path that names no RPC. The handler itself
 * serves unary RPCs over gRPC and Connect. It passes streams and gRPC-Web to Connect's own handlers.
 */
export function createRpcHandler(options: RpcOptions): HttpHandler {
  const readFailure = createRpcFailureConverter(options);
  const methods = collectRegisteredMethods(options);
  const createConnectEndpoint = createConnectEndpointFactory(methods, readFailure, options);
  const procedures = new Map<string, HttpRoute>();
  for (const recorded of methods.values()) {
    const { spec } = recorded;
    const createHandler = () => {
      const others = createConnectEndpoint(recorded);
      const direct =
        spec.kind === "unary" ? createDirectEndpoints(spec, recorded.options, readFailure, options) : undefined;
      const types = direct === undefined ? [...STREAMS, ...GRPC_WEB] : GRPC_WEB;
      const post = new Map([...(direct?.post ?? []), ...types.map((type) => [type, others] as const)]);
      return createProcedureHandler(post, direct?.get, readFailure);
    };
    const route = { rpc: spec.method, isMatched: true, handle: createOnFirstCall(createHandler) };
    const path = `/${spec.method.parent.typeName}/${spec.method.name}`;
    for (const prefix of new Set(["", options.basePath ?? ""])) procedures.set(prefix + path, route);
  }
  return {
    route: ({ target }) => procedures.get(getTargetPath(target)),
  };
}

function createRpcFailureConverter({ errorDomain = "", onError }: RpcOptions): FailureConverter {
  const read = createFailureConverter(errorDomain, onError);
  return (error, context) => {
    const failure = read(error, context);
    // gRPC and Connect define UNIMPLEMENTED for an unsupported encoding: https://github.com/grpc/grpc/blob/master/doc/compression.md,
    // https://connectrpc.com/docs/protocol#unary-request
    const isCoding = error instanceof RequestError && error.reason === "CONTENT_ENCODING_UNSUPPORTED";
    return isCoding ? { ...failure, code: Code.Unimplemented } : failure;
  };
}

/** Creates the endpoints of a unary method that bypass Connect's handlers: for POST by media type, and for GET. */
function createDirectEndpoints(
  spec: UnaryMethodSpec,
  options: MethodOptions,
  readFailure: FailureConverter,
  { json, validate, compression = true, onOutcome }: RpcOptions,
) {
  const { method } = spec;
  const { readMaxBytes } = options;
  const formats = createMessageFormats(method, json);
  const grpc = (format: MessageFormat) =>
    createUnaryEndpoint(spec, options, createGrpcCodec(format, readMaxBytes, readFailure, onOutcome), validate);
  const connect = createUnaryEndpoint(spec, options, createConnectCodec(readMaxBytes, readFailure), validate);
  const serve = (request: HttpRequest, rpc: ConnectRequestDetails): Promise<HttpResponse> => {
    const response = connect(request, rpc);
    return compression ? response.then((given) => compressResponse(request, given)) : response;
  };
  const servePost = (format: MessageFormat): ProcedureEndpoint => {
    const rpc = { format, query: undefined };
    return (request) => serve(request, rpc);
  };
  const serveGet = (request: HttpRequest) => serve(request, parseConnectGet(request.target, formats));
  const grpcProto = grpc(formats.proto);
  const post: ReadonlyMap<string, ProcedureEndpoint> = new Map([
    ["application/grpc", grpcProto],
    ["application/grpc+proto", grpcProto],
    ["application/grpc+json", grpc(formats.json)],
    ["application/json", servePost(formats.json)],
    ["application/proto", servePost(formats.proto)],
  ]);
  return { post, get: method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ? serveGet : undefined };
}
