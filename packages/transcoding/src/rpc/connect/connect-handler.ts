import { base64Decode } from "@bufbuild/protobuf/wire";
import { bodyTooLarge, readBody } from "../../calls/read-body.js";
import { compressResponse } from "../../responses/compress-response.js";
import { RequestError } from "../../responses/request-error.js";
import { createNodeContentCodings } from "../../runtimes/node-content-coding.js";
import type { NodeHandler } from "../../runtimes/node-handler.js";
import { authorityOf } from "../../runtimes/node-headers.js";
import { type NodeRequest, type NodeResponse, NodeTranscoderRequest } from "../../runtimes/node-request.js";
import { cutNodeResponse, writeNodeResponse } from "../../runtimes/node-response.js";
import type { TranscoderRequest } from "../../transcoder-request.js";
import type { TranscoderResponse } from "../../transcoder-response.js";
import { isPlainAuthority } from "../plain-authority.js";
import type { RpcOptions } from "../rpc-options.js";
import type { ConnectEndpoint } from "./connect-endpoint.js";
import type { ConnectFormats } from "./connect-format.js";

/** A unary method as the Connect protocol serves it. */
export interface ConnectMethod {
  readonly endpoint: ConnectEndpoint;
  readonly formats: ConnectFormats;
  /** Whether it has no side effects, so that it can be called with GET. */
  readonly takesGet: boolean;
}

type Call = (request: TranscoderRequest) => Promise<TranscoderResponse>;

const FORMATS: Readonly<Record<string, keyof ConnectFormats>> = {
  "application/json": "json",
  "application/json; charset=utf-8": "json",
  "application/json;charset=utf-8": "json",
  "application/proto": "proto",
};

/** Creates the handler of the methods at their paths. */
export function createConnectHandler(methods: ReadonlyMap<string, ConnectMethod>, options: RpcOptions): NodeHandler {
  const { fallback, contextValues, codings = createNodeContentCodings(), compression = true } = options;
  const serve = async (request: NodeRequest, response: NodeResponse, call: Call) => {
    const read = new NodeTranscoderRequest(request, response, contextValues?.(request), codings);
    const answer = await call(read);
    await writeNodeResponse(request, response, compression ? await compressResponse(read, answer) : answer);
  };
  return (request, response) => {
    const call = findCall(methods, request);
    if (call === undefined) fallback(request, response);
    else serve(request, response, call).catch(() => cutNodeResponse(request, response));
  };
}

/** The call that a request is; undefined where it is none, or one that is not plain. */
function findCall(
  methods: ReadonlyMap<string, ConnectMethod>,
  { url = "", method, headers }: NodeRequest,
): Call | undefined {
  const mark = url.indexOf("?");
  const found = methods.get(mark === -1 ? url : url.slice(0, mark));
  if (found === undefined || !isPlainAuthority(authorityOf(headers))) return undefined;
  if (method === "POST") return findPost(found, headers["content-type"], headers["content-encoding"]);
  return method === "GET" && found.takesGet && mark !== -1 ? findGet(found, url.slice(mark + 1)) : undefined;
}

function findPost({ endpoint, formats }: ConnectMethod, type = "", encoding = "identity"): Call | undefined {
  const format = FORMATS[type.toLowerCase()];
  if (format === undefined || encoding !== "identity") return undefined;
  return (request) => endpoint(request, formats[format], (maxBytes) => readBody(request, maxBytes));
}

/** https://connectrpc.com/docs/protocol#unary-get-request */
function findGet({ endpoint, formats }: ConnectMethod, query: string): Call | undefined {
  const parameters = new URLSearchParams(query);
  const format = parameters.get("encoding");
  if ((format !== "json" && format !== "proto") || (parameters.get("compression") ?? "identity") !== "identity") {
    return undefined;
  }
  return (request) => endpoint(request, formats[format], (maxBytes) => readParameter(parameters, maxBytes));
}

function readParameter(parameters: URLSearchParams, maxBytes: number): Uint8Array {
  const text = parameters.get("message") ?? "";
  const bytes = parameters.get("base64") === "1" ? decodeBase64(text) : Buffer.from(text);
  if (bytes.length > maxBytes) throw bodyTooLarge(maxBytes);
  return bytes;
}

function decodeBase64(text: string): Uint8Array {
  try {
    return base64Decode(text);
  } catch {
    throw new RequestError("BODY_MALFORMED", "the message must be base64, as base64=1 says");
  }
}
