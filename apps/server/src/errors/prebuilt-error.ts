import { API } from "@calltrack/domain";
import type { NodeRequest } from "@calltrack/transcoding/node";
import { createErrorForms, type ErrorForms } from "@calltrack/transcoding/rpc";
import type { Code, ConnectError } from "@connectrpc/connect";
import { INFRASTRUCTURE_SERVICES } from "../observability/grpc-services/infrastructure-services.js";
import { requestStateOf } from "../observability/requests/request-state.js";
import { PATH_JSON } from "./json-path-options.js";
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

/** The last two segments of a path, because RPCs are also served under the base path. */
const PROCEDURE = /^[^?]*(\/[^/?]*\/[^/?]*)(?:\?|$)/;

/**
 * An error response that is built once, in the form of each protocol. To pick the form, it reads only the path and the content type of
 * a request.
 */
export class PrebuiltError {
  readonly #build: () => BuiltError;
  #built: BuiltError | undefined;

  /**
   * @param create is called at the first response: the headers of an error load Node's client of fetch, which takes 0.03 s.
   * @param httpStatus the status of the JSON form, if HTTP has a more specific one than the error's code.
   * @param unaryStatus the same of unary RPCs of Connect.
   */
  constructor(create: () => ConnectError, httpStatus?: number, unaryStatus?: number) {
    this.#build = () => {
      const error = create();
      return { code: error.code, forms: createErrorForms(error, ERROR_DOMAIN, httpStatus, PATH_JSON, unaryStatus) };
    };
  }

  /** Sends the error, and records its code. Does nothing if a response was sent already. */
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
