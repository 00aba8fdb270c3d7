import { API_SERVICES } from "@calltrack/domain";
import type { NodeRequest } from "@calltrack/transcoding/node";
import { createErrorResponsesByProtocol, type ErrorResponsesByProtocol } from "@calltrack/transcoding/rpc";
import type { Code, ConnectError } from "@connectrpc/connect";
import { INFRASTRUCTURE_SERVICES } from "../observability/grpc-services/infrastructure-services.js";
import { findRequestState } from "../observability/requests/request-state.js";
import { JSON_MESSAGE_FORMAT } from "./json-transcoding-options.js";
import { ERROR_DOMAIN } from "./wire-error.js";

/** The paths of all methods over Connect, gRPC and gRPC-Web. */
const PROCEDURES: ReadonlySet<string> = new Set(
  [...API_SERVICES, ...INFRASTRUCTURE_SERVICES].flatMap(({ typeName, methods }) =>
    methods.map(({ name }) => `/${typeName}/${name}`),
  ),
);

interface BuiltError {
  readonly code: Code;
  readonly forms: ErrorResponsesByProtocol;
}

/** Matches the last two segments of a request target: the path of an RPC may follow the base path. */
const PROCEDURE = /^[^?]*(\/[^/?]*\/[^/?]*)(?:\?|$)/;

/** An error response that is built only once for each protocol. The path and the content type of a request determine its protocol. */
export class PrebuiltError {
  readonly #build: () => BuiltError;
  #built: BuiltError | undefined;

  /**
   * @param create called for the first response instead of at start-up, because creating a ConnectError loads Node's `fetch` in 0.03 s.
   * @param httpStatus the HTTP status of JSON responses. Default: the status that belongs to the error's code.
   * @param unaryStatus the HTTP status of responses to unary Connect RPCs, with the same default.
   */
  constructor(create: () => ConnectError, httpStatus?: number, unaryStatus?: number) {
    this.#build = () => {
      const error = create();
      return {
        code: error.code,
        forms: createErrorResponsesByProtocol(error, ERROR_DOMAIN, httpStatus, JSON_MESSAGE_FORMAT, unaryStatus),
      };
    };
  }

  /** Sends the error response, and records its code. Does nothing if another response has begun. */
  answer(request: NodeRequest): void {
    if (request.hasResponded) return;
    const type = request.header("content-type") ?? "";
    const [, procedure = ""] = PROCEDURE.exec(request.target) ?? [];
    const isProcedure = type.startsWith("application/grpc") || PROCEDURES.has(procedure);
    this.#built ??= this.#build();
    const { code, forms } = this.#built;
    const state = findRequestState(request.contextValues);
    if (state !== undefined) state.failure ??= code;
    const { status, headers, body } = isProcedure ? forms.forProcedure(type) : forms.json;
    request.respond(status, headers, body);
  }
}
