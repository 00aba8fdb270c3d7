import type { HttpRequest } from "../http/http-request.js";
import type { HttpResponse } from "../http/http-response.js";
import { parseMediaType } from "../http/media-type.js";
import { RequestError } from "../http/request-error.js";
import type { FailureReader } from "../responses/failure.js";
import { createFailureResponse } from "./failure-response.js";

/** Handles the calls of a method in one protocol. Never rejects. */
export type ProcedureEndpoint = (request: HttpRequest, mediaType: string) => Promise<HttpResponse>;

/** The endpoints of a method. */
export interface ProcedureEndpoints {
  /** The endpoints of POST, by media type. */
  readonly post: ReadonlyMap<string, ProcedureEndpoint>;
  /** The endpoint of GET and HEAD; undefined for a method with side effects. Throws a `RequestError` for a malformed query. */
  readonly get: ((request: HttpRequest) => Promise<HttpResponse>) | undefined;
}

/** Creates the handler of a method, which chooses an endpoint. It rejects requests that no protocol can read, and never rejects itself. */
export function createProcedure(
  { post, get }: ProcedureEndpoints,
  readFailure: FailureReader,
): (request: HttpRequest) => Promise<HttpResponse> {
  const allow = get === undefined ? "OPTIONS, POST" : "GET, HEAD, OPTIONS, POST";
  const accept = [...post.keys()].join(", ");
  const serve = (request: HttpRequest, contentType: string): Promise<HttpResponse> => {
    switch (request.method) {
      case "POST": {
        // Most content types have no parameters and need no parsing.
        const mediaType = post.has(contentType) ? contentType : (parseMediaType(contentType) ?? "");
        const endpoint = post.get(mediaType);
        if (endpoint !== undefined) return endpoint(request, mediaType);
        const message = `the Content-Type is not supported: send one of ${accept}`;
        throw new RequestError("CONTENT_TYPE_UNSUPPORTED", message, { headers: { accept } });
      }
      case "OPTIONS":
        return Promise.resolve({
          status: 204,
          headers: { allow },
          body: undefined,
          trailers: undefined,
          matched: true,
        });
      case "GET":
      case "HEAD":
        if (get !== undefined) return get(request);
    }
    const message = `${request.method} is not allowed at this path: use ${allow}`;
    throw new RequestError("METHOD_NOT_ALLOWED", message, { headers: { allow } });
  };
  return (request) => {
    const contentType = request.header("content-type") ?? "";
    try {
      return serve(request, contentType);
    } catch (error) {
      const failure = readFailure(error, undefined);
      return Promise.resolve({ ...createFailureResponse(failure, contentType), status: failure.httpStatus });
    }
  };
}
