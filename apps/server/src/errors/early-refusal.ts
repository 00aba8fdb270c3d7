import { API } from "@calltrack/domain";
import { FixedAnswer, type WholeRequest } from "@calltrack/http1";
import type { Http2Stream } from "@calltrack/http2";
import { writeNodeResponse } from "@calltrack/transcoding/node";
import { createErrorForms, type ErrorForm, type GrpcStream } from "@calltrack/transcoding/rpc";
import type { ConnectError } from "@connectrpc/connect";
import { INFRASTRUCTURE_SERVICES } from "../grpc-services/infrastructure-services.js";
import type { RequestHandler } from "../http/request-handler.js";
import { ERROR_DOMAIN } from "./domain-error.js";
import { PATH_JSON } from "./json-path-options.js";
import { NOSNIFF } from "./nosniff.js";

type Request = Parameters<RequestHandler>[0];
type Response = Parameters<RequestHandler>[1];

/** The paths that the Connect protocol is spoken at, and gRPC. */
const PROCEDURES: ReadonlySet<string> = new Set(
  [...API, ...INFRASTRUCTURE_SERVICES].flatMap(({ typeName, methods }) =>
    methods.map(({ name }) => `/${typeName}/${name}`),
  ),
);

/** Over HTTP/1.1, the rest of a body that is no longer is read and thrown away; others end the connection. */
const MOST_DISCARDED_BYTES = 64 * 1024;

/** A response whose bytes are always the same. */
interface FixedResponse extends ErrorForm {
  readonly whole: FixedAnswer;
  /** As HTTP/1.1 has it: names and values in turn. */
  readonly fields: string[];
  /** As HTTP/2 has it. Frozen, so that it is encoded once a connection. */
  readonly frames: readonly string[];
  readonly bytes: Uint8Array;
}

/**
 * An error that is made up once, and costs next to nothing to answer with: nothing of the request is read, but as much of its
 * head as tells which shape of errors its client understands.
 */
export class EarlyRefusal {
  readonly #json: FixedResponse;
  readonly #connect: FixedResponse;
  readonly #byType: ReadonlyMap<string, FixedResponse>;
  readonly #grpc: FixedResponse;
  readonly #grpcFields: readonly string[];

  /** @param httpStatus that of the JSON form, where HTTP has a closer one than the error's code. */
  constructor(error: ConnectError, httpStatus?: number) {
    const { json, connect, byType, grpc } = createErrorForms(error, ERROR_DOMAIN, httpStatus, PATH_JSON);
    this.#json = fix(json);
    this.#connect = fix(connect);
    this.#byType = new Map(Array.from(byType, ([type, form]) => [type, fix(form)]));
    this.#grpcFields = grpc;
    this.#grpc = fix(formOfFields(grpc));
  }

  /** Answers a request of `node:http`, or of HTTP/2 in the compatibility API. */
  answerRequest(request: Request, response: Response): void {
    const form = this.#formFor(request.headers["content-type"], request.url ?? "");
    const { "transfer-encoding": coding, "content-length": length = 0 } = request.headers;
    if ("stream" in request || coding !== undefined || Number(length) > MOST_DISCARDED_BYTES) {
      const { status, headers, body } = form;
      void writeNodeResponse(request, response, {
        status,
        headers: { ...headers },
        body,
        trailers: undefined,
        matched: true,
      });
      return;
    }
    // RFC 9110 section 6.6.1 asks for none of a 5xx, and has it of no use in other refusals.
    response.sendDate = false;
    (response as { writeHead(status: number, fields: string[]): unknown }).writeHead(form.status, form.fields);
    response.end(form.body, "latin1");
  }

  /** Answers a request of HTTP/1.1 that is there as a whole. */
  answerWhole(request: WholeRequest): void {
    request.respondFixed(this.#formFor(request.headers["content-type"], request.url).whole);
  }

  /** Answers a request of HTTP/2. */
  answerStream(stream: Http2Stream): void {
    const { ":method": method, ":path": path = "", "content-type": type = "" } = stream.headers;
    if (isGrpc(type)) {
      this.answerGrpc(stream);
      return;
    }
    const form = this.#formFor(type, path);
    stream.sendHeaders(form.frames, method === "HEAD");
    stream.sendData(form.bytes);
    stream.end();
  }

  /** Answers a gRPC call on a stream of HTTP/2. */
  answerGrpc(stream: Pick<GrpcStream, "sendHeaders">): void {
    stream.sendHeaders(this.#grpcFields, true);
  }

  #formFor(type = "", path: string): FixedResponse {
    if (type.startsWith("application/grpc")) return isGrpc(type) ? this.#grpc : this.#grpcWebFor(type);
    const mark = path.indexOf("?");
    if (!PROCEDURES.has(mark === -1 ? path : path.slice(0, mark))) return this.#json;
    return this.#byType.get(type) ?? this.#connect;
  }

  /** A client of a type without a form of its own, such as gRPC-Web in text, reads the headers all the same. */
  #grpcWebFor(type: string): FixedResponse {
    return this.#byType.get(type) ?? this.#grpc;
  }
}

/** A gRPC answer of headers only (Trailers-Only) as an HTTP response. */
function formOfFields(fields: readonly string[]): ErrorForm {
  const headers: Record<string, string> = {};
  for (let at = 0; at < fields.length; at += 2) headers[fields[at] as string] = fields[at + 1] as string;
  const { ":status": status, ...rest } = headers;
  return { status: Number(status), headers: rest, body: "" };
}

function isGrpc(type: string): boolean {
  return type.startsWith("application/grpc") && !type.startsWith("application/grpc-web");
}

function fix({ status, headers: ownHeaders, body }: ErrorForm): FixedResponse {
  const headers = { ...ownHeaders, [NOSNIFF[0]]: NOSNIFF[1] };
  const bytes = Buffer.from(body);
  const fields = [...Object.entries(headers).flatMap(([name, value]) => [name, String(value)])];
  fields.push("content-length", String(bytes.length));
  const whole = new FixedAnswer(status, headers, body);
  return { status, headers, body, bytes, whole, fields, frames: Object.freeze([":status", String(status), ...fields]) };
}
