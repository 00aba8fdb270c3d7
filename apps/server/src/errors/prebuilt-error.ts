import { API } from "@calltrack/domain";
import type { NodeRequest } from "@calltrack/transcoding/node";
import { createErrorForms, type ErrorForms } from "@calltrack/transcoding/rpc";
import type { Code, ConnectError } from "@connectrpc/connect";
import { INFRASTRUCTURE_SERVICES } from "../observability/grpc-services/infrastructure-services.js";
import { requestStateOf } from "../observability/requests/request-state.js";
import { JSON_PATH_FORMAT } from "./json-path-options.js";
import { ERROR_DOMAIN } from "./wire-error.js";

/** The paths of RPCs over Connect, gRPC and gRPC-Web. */
const PROCEDURES: ReadonlySet<string> = new Set(
  [...API, ...INFRASTRUCTURE_SERVICES].flatMap(({ typeName, methods }) =>
    methods.map(({ name }) => `/${typeName}/${name}`),
  ),
);

interface BuiltError {
  readonly code: Code;
  readonly forms: ErrorForms;
}

/** Matches the last two segments of a path, because RPCs are also served under the base path. */
const PROCEDURE = /^[^?]*(\/[^/?]*\/[^/?]*)(?:\?|$)/;

/** An error response that is built once for each protocol. The path and the content type of a request decide which protocol the response uses. */
export class PrebuiltError {
  readonly #build: () => BuiltError;
  #built: BuiltError | undefined;

  /**
   * @param create called for the first response, not at start-up: the headers of an error load Node's `fetch`, which takes 0.03 s.
   * @param httpStatus the HTTP status of the JSON form. Default: the status that belongs to the error's code.
   * @param unaryStatus the same for unary Connect RPCs.
   */
  constructor(create: () => ConnectError, httpStatus?: number, unaryStatus?: number) {
    this.#build = () => {
      const error = create();
      return {
        code: error.code,
        forms: createErrorForms(error, ERROR_DOMAIN, httpStatus, JSON_PATH_FORMAT, unaryStatus),
      };
    };
  }

  /** Sends the error, and records its code. Does nothing if the response has begun. */
  answer(request: NodeRequest): void {
    if (request.hasResponded) return;
    const type = request.header("content-type") ?? "";
    const [, procedure = ""] = PROCEDURE.exec(request.target) ?? [];
    const isProcedure = type.startsWith("application/grpc") || PROCEDURES.has(procedure);
    this.#built ??= this.#build();
    const { code, forms } = this.#built;
    const state = requestStateOf(request.contextValues);
    if (state !== undefined) state.failure ??= code;
    const { status, headers, body } = isProcedure ? forms.forProcedure(type) : forms.json;
    request.respond(status, headers, body);
  }
}
