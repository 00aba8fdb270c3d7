import type { HttpRequest } from "../http/http-request.js";
import type { HttpResponse } from "../http/http-response.js";
import { parseMediaType } from "../http/media-type.js";
import { RequestError } from "../http/request-error.js";
import type { FailureConverter } from "../responses/failure.js";
import { createFailureResponse } from "./failure-response.js";

/** Handles all requests to a method's path. Never rejects: a failure becomes an error response. */
export type Procedure = (request: HttpRequest) => Promise<HttpResponse>;

/** Handles the requests of a method that use one protocol. Never rejects: a failure becomes an error response. */
export type ProcedureEndpoint = (request: HttpRequest, mediaType: string) => Promise<HttpResponse>;

/**
 * Creates a procedure, which passes each request to the endpoint for its HTTP method and media type, and rejects all other requests.
 *
 * @param post the endpoints for POST requests, keyed by media type.
 * @param get handles GET and HEAD requests, and throws a `RequestError` for a malformed query. Undefined if the method has side effects.
 */
export function createProcedureHandler(
  post: ReadonlyMap<string, ProcedureEndpoint>,
  get: Procedure | undefined,
  readFailure: FailureConverter,
): Procedure {
  const allow = get === undefined ? "OPTIONS, POST" : "GET, HEAD, OPTIONS, POST";
  const methods = { status: 204, headers: { allow }, body: undefined, trailers: undefined };
  const accept = [...post.keys()].join(", ");
  const serve = (request: HttpRequest, mediaType: string): Promise<HttpResponse> => {
    switch (request.method) {
      case "POST": {
        const endpoint = post.get(mediaType);
        if (endpoint !== undefined) return endpoint(request, mediaType);
        const message = `the Content-Type is not supported: send one of ${accept}`;
        throw new RequestError("CONTENT_TYPE_UNSUPPORTED", message, { headers: { accept } });
      }
      case "OPTIONS":
        return Promise.resolve(methods);
      case "GET":
      case "HEAD":
        if (get !== undefined) return get(request);
    }
    const message = `${request.method} is not allowed at this path: use ${allow}`;
    throw new RequestError("METHOD_NOT_ALLOWED", message, { headers: { allow } });
  };
  return (request) => {
    const contentType = request.header("content-type") ?? "";
    // Skips parsing for most requests, because their content types have no parameters.
    const mediaType = post.has(contentType) ? contentType : (parseMediaType(contentType) ?? "");
    try {
      return serve(request, mediaType);
    } catch (error) {
      const failure = readFailure(error, undefined);
      return Promise.resolve({
        ...createFailureResponse(failure, mediaType, request.codings),
        status: failure.httpStatus,
      });
    }
  };
}
