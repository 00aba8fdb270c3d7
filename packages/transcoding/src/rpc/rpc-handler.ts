import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, type MethodImplSpec } from "@connectrpc/connect";
import { type MethodOptions, recordMethods } from "../calls/recorded-method.js";
import { createUnaryEndpoint } from "../calls/unary-endpoint.js";
import type { HttpHandler } from "../http/http-handler.js";
import type { HttpRequest } from "../http/http-request.js";
import type { HttpResponse } from "../http/http-response.js";
import { RequestError } from "../http/request-error.js";
import { compressResponse } from "../responses/compress-response.js";
import { createFailureReader, type FailureReader } from "../responses/failure.js";
import { type ConnectCall, createConnectCodec } from "./connect-codec.js";
import { createConnectEndpoints } from "./connect-endpoint.js";
import { parseConnectQuery } from "./connect-query.js";
import { createGrpcCodec } from "./grpc-codec.js";
import { createMessageFormats, type FormatName } from "./message-format.js";
import { createProcedure, type ProcedureEndpoint, type ProcedureEndpoints } from "./procedure.js";
import type { RpcOptions } from "./rpc-options.js";

/** Serves services over gRPC, gRPC-Web and the Connect protocol. `handle` returns undefined for a path that is not a procedure. */
export type RpcHandler = HttpHandler;

const GRPC_WEB = ["application/grpc-web", "application/grpc-web+proto", "application/grpc-web+json"];
const STREAMS = [
  ...["application/grpc", "application/grpc+proto", "application/grpc+json"],
  ...["application/connect+proto", "application/connect+json"],
];

/**
 * Creates the handler. It serves unary calls of gRPC and of the Connect protocol directly. Connect's own handlers serve streams
 * and gRPC-Web.
 */
export function createRpcHandler(options: RpcOptions): RpcHandler {
  const readFailure = createRpcFailureReader(options);
  const methods = recordMethods(options);
  const createConnectEndpoint = createConnectEndpoints(methods, readFailure, options);
  const procedures = new Map<string, (request: HttpRequest) => Promise<HttpResponse>>();
  for (const recorded of methods.values()) {
    const { spec } = recorded;
    const others = createConnectEndpoint(recorded);
    const endpoints =
      spec.kind === "unary"
        ? createUnaryEndpoints(spec, recorded.options, others, readFailure, options)
        : { post: mapAll([...GRPC_WEB, ...STREAMS], others), get: undefined };
    const procedure = createProcedure(endpoints, readFailure);
    const path = `/${spec.method.parent.typeName}/${spec.method.name}`;
    for (const prefix of new Set(["", options.basePath ?? ""])) procedures.set(prefix + path, procedure);
  }
  return {
    handle(request) {
      const { target } = request;
      const mark = target.indexOf("?");
      return procedures.get(mark === -1 ? target : target.slice(0, mark))?.(request);
    },
  };
}

function createRpcFailureReader({ errorDomain = "", onError }: RpcOptions): FailureReader {
  const read = createFailureReader(errorDomain, onError);
  return (error, context) => {
    const failure = read(error, context);
    // https://github.com/grpc/grpc/blob/master/doc/compression.md and https://connectrpc.com/docs/protocol#unary-request
    const isCoding = error instanceof RequestError && error.reason === "CONTENT_ENCODING_UNSUPPORTED";
    return isCoding ? { ...failure, code: Code.Unimplemented } : failure;
  };
}

function createUnaryEndpoints(
  spec: MethodImplSpec & { kind: "unary" },
  options: MethodOptions,
  others: ProcedureEndpoint,
  readFailure: FailureReader,
  { json = {}, validate, compression = true }: RpcOptions,
): ProcedureEndpoints {
  const { method } = spec;
  const { readMaxBytes } = options;
  const formats = createMessageFormats(method, json);
  const serveGrpc = (name: FormatName): ProcedureEndpoint => {
    const codec = createGrpcCodec(formats[name], readMaxBytes, readFailure, validate);
    const serve = createUnaryEndpoint(spec, options, codec);
    return (request) => serve(request, undefined);
  };
  const serveConnect = createUnaryEndpoint(spec, options, createConnectCodec(readMaxBytes, readFailure, validate));
  const serveCall = async (request: HttpRequest, call: ConnectCall) => {
    const response = await serveConnect(request, call);
    return compression ? compressResponse(request, response) : response;
  };
  const serveConnectPost = (name: FormatName): ProcedureEndpoint => {
    const call = { format: formats[name], query: undefined };
    return (request) => serveCall(request, call);
  };
  const serveConnectGet = (request: HttpRequest) => {
    const query = parseConnectQuery(request.target);
    const encoding = query.get("encoding");
    if (encoding === "json" || encoding === "proto") return serveCall(request, { format: formats[encoding], query });
    throw new RequestError("CONTENT_TYPE_UNSUPPORTED", "the query parameter encoding must be json or proto");
  };
  const grpcProto = serveGrpc("proto");
  return {
    post: new Map([
      ["application/grpc", grpcProto],
      ["application/grpc+proto", grpcProto],
      ["application/grpc+json", serveGrpc("json")],
      ["application/json", serveConnectPost("json")],
      ["application/proto", serveConnectPost("proto")],
      ...mapAll(GRPC_WEB, others),
    ]),
    get: method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ? serveConnectGet : undefined,
  };
}

function mapAll(mediaTypes: readonly string[], endpoint: ProcedureEndpoint): ReadonlyMap<string, ProcedureEndpoint> {
  return new Map(mediaTypes.map((type) => [type, endpoint]));
}
