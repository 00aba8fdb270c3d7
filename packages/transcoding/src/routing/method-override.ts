import type { BodyReceiver, HttpRequest } from "../http/http-request.js";
import { RequestError } from "../http/request-error.js";

/** The methods that a POST can stand for. Not HEAD and OPTIONS, because a client of a POST would misread their responses. */
const METHODS: readonly string[] = ["DELETE", "GET", "PATCH", "POST", "PUT"];

/**
 * Applies `X-HTTP-Method-Override`, for clients and proxies that support only GET and POST. Ignores the header on requests
 * other than POST. Throws a `RequestError` for a method that a POST cannot stand for.
 */
export function overrideMethod(request: HttpRequest): HttpRequest {
  if (request.method !== "POST") return request;
  const header = request.header("x-http-method-override");
  if (header === undefined) return request;
  const method = header.toUpperCase();
  if (!METHODS.includes(method)) {
    throw new RequestError("HEADER_MALFORMED", `X-HTTP-Method-Override must be one of ${METHODS.join(", ")}`);
  }
  return new OverriddenRequest(request, method);
}

/** A request with another method. */
class OverriddenRequest implements HttpRequest {
  readonly method: string;
  readonly #request: HttpRequest;

  constructor(request: HttpRequest, method: string) {
    this.#request = request;
    this.method = method;
  }

  get httpVersion() {
    return this.#request.httpVersion;
  }

  get target() {
    return this.#request.target;
  }

  get origin() {
    return this.#request.origin;
  }

  get contextValues() {
    return this.#request.contextValues;
  }

  get codings() {
    return this.#request.codings;
  }

  get hasBody() {
    return this.#request.hasBody;
  }

  header(name: string) {
    return this.#request.header(name);
  }

  isRepeated(name: string) {
    return this.#request.isRepeated?.(name) === true;
  }

  headerEntries() {
    return this.#request.headerEntries();
  }

  get body() {
    return this.#request.body;
  }

  receive(receiver: BodyReceiver) {
    this.#request.receive(receiver);
  }

  consume(bytes: number) {
    this.#request.consume(bytes);
  }

  onGone(listener: () => void) {
    return this.#request.onGone(listener);
  }
}
