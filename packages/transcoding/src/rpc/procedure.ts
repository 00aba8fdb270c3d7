import type { HttpRequest } from "../http/http-request.js";
import type { HttpResponse } from "../http/http-response.js";
import { parseMediaType } from "../http/media-type.js";
import { RequestError } from "../http/request-error.js";
import type { FailureReader } from "../responses/failure.js";
import { createFailureResponse } from "./failure-response.js";

/** Handles the requests of a method. Never rejects. */
export type Procedure = (request: HttpRequest) => Promise<HttpResponse>;

/** Handles the RPCs of a method in one protocol. Never rejects. */
export type ProcedureEndpoint = (request: HttpRequest, mediaType: string) => Promise<HttpResponse>;

/**
 * Creates a procedure, which chooses an endpoint and rejects requests that no protocol can read.
 *
 * @param post the endpoints for POST, by media type.
 * @param get the endpoint for GET and HEAD; undefined for a method with side effects. Throws a `RequestError` for a malformed query.
 */
export function createProcedure(
  post: ReadonlyMap<string, ProcedureEndpoint>,
  get: Procedure | undefined,
  readFailure: FailureReader,
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
    // Most content types have no parameters and need no parsing.
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
