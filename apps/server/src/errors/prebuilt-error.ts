import { API } from "@calltrack/domain";
import type { Exchange, HttpHeaders } from "@calltrack/http";
import { createErrorForms, type ErrorForm } from "@calltrack/transcoding/rpc";
import type { ConnectError } from "@connectrpc/connect";
import { INFRASTRUCTURE_SERVICES } from "../observability/grpc-services/infrastructure-services.js";
import { ERROR_DOMAIN } from "./domain-error.js";
import { PATH_JSON } from "./json-path-options.js";

/** The paths of RPCs over Connect, gRPC and gRPC-Web. */
const PROCEDURES: ReadonlySet<string> = new Set(
  [...API, ...INFRASTRUCTURE_SERVICES].flatMap(({ typeName, methods }) =>
    methods.map(({ name }) => `/${typeName}/${name}`),
  ),
);

/** A response whose bytes are always the same. */
interface PrebuiltResponse {
  readonly status: number;
  /** Frozen, so that a server encodes them once. */
  readonly headers: HttpHeaders;
  readonly body: string | undefined;
}

/**
 * An error response that is built once, in the form of each protocol. To pick the form, it reads only the path and the content type of
 * a request.
 */
export class PrebuiltError {
  readonly #json: PrebuiltResponse;
  readonly #connect: PrebuiltResponse;
  readonly #grpc: PrebuiltResponse;
  /** The responses for gRPC-Web and Connect streams, by content type. */
  readonly #byType: ReadonlyMap<string, PrebuiltResponse>;

  /** @param httpStatus the status of the JSON form, if HTTP has a more specific one than the error's code. */
  constructor(error: ConnectError, httpStatus?: number) {
    const { json, connect, grpc, byType } = createErrorForms(error, ERROR_DOMAIN, httpStatus, PATH_JSON);
    this.#json = prebuild(json);
    this.#connect = prebuild(connect);
    this.#grpc = prebuild(grpc);
    this.#byType = new Map(Array.from(byType, ([type, form]) => [type, prebuild(form)]));
  }

  /** Sends the error. Does nothing if a response was sent already. */
  answer(exchange: Exchange): void {
    const { status, headers, body } = this.#formFor(exchange.headers["content-type"] ?? "", exchange.target);
    exchange.respond(status, headers, body);
  }

  #formFor(type: string, target: string): PrebuiltResponse {
    // Clients of other gRPC-Web types, such as the text format, read the headers of gRPC.
    if (type.startsWith("application/grpc")) return this.#byType.get(type) ?? this.#grpc;
    const query = target.indexOf("?");
    if (!PROCEDURES.has(query === -1 ? target : target.slice(0, query))) return this.#json;
    return this.#byType.get(type) ?? this.#connect;
  }
}

function prebuild({ status, headers, body }: ErrorForm): PrebuiltResponse {
  return { status, headers: Object.freeze({ ...headers }), body: body === "" ? undefined : body };
}
