import { FixedAnswer, type WholeRequest } from "@calltrack/http1";
import type { Http2Stream } from "@calltrack/http2";
import { createErrorForms, type ErrorForm, writeNodeResponse } from "@calltrack/transcoding";
import type { ConnectError } from "@connectrpc/connect";
import { ERROR_DOMAIN } from "../interceptors/domain-error.js";
import type { RequestHandler } from "../one-port.js";
import { API, TOOLS } from "../routes.js";

type Request = Parameters<RequestHandler>[0];
type Response = Parameters<RequestHandler>[1];

/** The paths that the Connect protocol is spoken at, and gRPC. */
const PROCEDURES: ReadonlySet<string> = new Set(
  [...API, ...TOOLS].flatMap(({ typeName, methods }) => methods.map(({ name }) => `/${typeName}/${name}`)),
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
  readonly #grpc: readonly string[];

  /** @param httpStatus that of the JSON form, where HTTP has a closer one than the error's code. */
  constructor(error: ConnectError, httpStatus?: number) {
    const { json, connect, grpc } = createErrorForms(error, ERROR_DOMAIN, httpStatus);
    this.#json = fix(json);
    this.#connect = fix(connect);
    this.#grpc = grpc;
  }

  /** Answers a request of HTTP/1.1. */
  answerRequest(request: Request, response: Response): void {
    const form = this.#formAt(request.url ?? "");
    const { "transfer-encoding": coding, "content-length": length = 0 } = request.headers;
    if (coding !== undefined || Number(length) > MOST_DISCARDED_BYTES) {
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
    request.respondFixed(this.#formAt(request.url).whole);
  }

  /** Answers a request of HTTP/2. */
  answerStream(stream: Http2Stream): void {
    const { ":method": method, ":path": path = "", "content-type": type = "" } = stream.headers;
    if (isGrpc(type)) {
      stream.sendHeaders(this.#grpc, true);
      return;
    }
    const form = this.#formAt(path);
    stream.sendHeaders(form.frames, method === "HEAD");
    stream.sendData(form.bytes);
    stream.end();
  }

  #formAt(path: string): FixedResponse {
    const mark = path.indexOf("?");
    return PROCEDURES.has(mark === -1 ? path : path.slice(0, mark)) ? this.#connect : this.#json;
  }
}

function isGrpc(type: string): boolean {
  return type.startsWith("application/grpc") && !type.startsWith("application/grpc-web");
}

function fix({ status, headers, body }: ErrorForm): FixedResponse {
  const bytes = Buffer.from(body);
  const fields = [...Object.entries(headers).flatMap(([name, value]) => [name, String(value)])];
  fields.push("content-length", String(bytes.length));
  const whole = new FixedAnswer(status, headers, body);
  return { status, headers, body, bytes, whole, fields, frames: Object.freeze([":status", String(status), ...fields]) };
}
