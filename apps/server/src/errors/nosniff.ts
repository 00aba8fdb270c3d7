import type { RequestHandler } from "../http/request-handler.js";

/**
 * A header, its name and value, that has browsers take every answer for what its content type says
 * (https://fetch.spec.whatwg.org/#x-content-type-options-header).
 */
export const NOSNIFF = ["x-content-type-options", "nosniff"] as const;

/** Adds {@link NOSNIFF} to every answer of a handler. */
export function withNosniff(next: RequestHandler): RequestHandler {
  return (request, response) => {
    response.setHeader(...NOSNIFF);
    next(request, response);
  };
}
