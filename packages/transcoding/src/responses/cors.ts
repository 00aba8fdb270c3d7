import type { HttpRequest } from "../http/http-request.js";
import type { MutableHeaders } from "../http/http-response.js";
import { appendHeader } from "../http/response-headers.js";

/** Access for web pages of other origins (the CORS protocol of the Fetch standard). */
export interface CorsOptions {
  /** The allowed origins, such as `https://example.com`; `*` for all. */
  readonly origins: "*" | readonly string[] | ((origin: string) => boolean);
  /** The request headers that a page may send. Default: the headers that its preflight names. */
  readonly allowHeaders?: readonly string[];
  /** The response headers that a page may read beyond the safelisted ones. Default: none. */
  readonly exposeHeaders?: readonly string[];
  /** How long a browser may cache a preflight response. Default: the browser's own choice. */
  readonly maxAgeSeconds?: number;
  /** Whether cookies and HTTP authentication are allowed; not together with origins `*`. Default: false. */
  readonly credentials?: boolean;
}

/** Adds the headers of the CORS protocol to responses. */
export interface Cors {
  /** Adds headers to any response, errors included. */
  addHeaders(request: HttpRequest, headers: MutableHeaders): void;
  /** Adds the further headers of a preflight response. Adds nothing for other OPTIONS requests. */
  addPreflightHeaders(request: HttpRequest, allow: readonly string[], headers: MutableHeaders): void;
}

/** Creates a `Cors`. Throws an Error for credentials together with origins `*`, because browsers reject that. */
export function createCors(options: CorsOptions): Cors {
  if (options.credentials && options.origins === "*") {
    throw new Error("cors: credentials need a list of origins, not *");
  }
  const allows = originTest(options.origins);
  const expose = options.exposeHeaders?.join(", ");
  return {
    addHeaders(request, headers) {
      const origin = request.header("origin");
      if (options.origins !== "*") appendHeader(headers, "vary", "origin");
      if (origin === undefined || !allows(origin)) return;
      headers["access-control-allow-origin"] = options.origins === "*" ? "*" : origin;
      if (options.credentials) headers["access-control-allow-credentials"] = "true";
      if (expose) headers["access-control-expose-headers"] = expose;
    },
    addPreflightHeaders(request, allow, headers) {
      const origin = request.header("origin");
      const isPreflight = request.header("access-control-request-method") !== undefined;
      if (origin === undefined || !isPreflight || !allows(origin)) return;
      const asked = request.header("access-control-request-headers");
      const allowHeaders = options.allowHeaders?.join(", ") ?? asked;
      headers["access-control-allow-methods"] = allow.join(", ");
      if (allowHeaders) headers["access-control-allow-headers"] = allowHeaders;
      if (options.allowHeaders === undefined) appendHeader(headers, "vary", "access-control-request-headers");
      if (options.maxAgeSeconds !== undefined) headers["access-control-max-age"] = String(options.maxAgeSeconds);
    },
  };
}

function originTest(origins: CorsOptions["origins"]): (origin: string) => boolean {
  if (origins === "*") return () => true;
  if (typeof origins === "function") return origins;
  const set = new Set(origins);
  return (origin) => set.has(origin);
}
