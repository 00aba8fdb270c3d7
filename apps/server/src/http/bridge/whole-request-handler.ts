import { API } from "@calltrack/domain";
import type { WholeRequest } from "@calltrack/http1";
import {
  type BodyReceiver,
  type ContentCoding,
  createRouter,
  type HttpRequest,
  readHttpRules,
  type Transcoder,
} from "@calltrack/transcoding";
import type { ContextValues } from "@connectrpc/connect";
import { jsonPathOptions } from "../../errors/json-path-options.js";

/**
 * Creates what serves the unary methods of the JSON paths to buffered requests of HTTP/1.1. Returns false for any other request, which
 * Node's server answers.
 */
export function createWholeRequestHandler(
  transcoder: Transcoder,
  basePath: string,
  contextValues: (request: WholeRequest) => ContextValues,
  codings: readonly ContentCoding[],
): (request: WholeRequest) => boolean {
  const isUnary = createUnaryTest(basePath);
  return (request) => {
    if (!isUnary(request.method, request.url)) return false;
    transcoder
      .handle(new WholeHttpRequest(request, contextValues(request), codings))
      // Only streams come in chunks, and trailers only to clients that ask for them, which no buffered request does.
      .then(({ status, headers, body }) => request.respond(status, headers, body as string | Uint8Array | undefined))
      .catch(() => request.cut());
    return true;
  };
}

function createUnaryTest(basePath: string): (method: string, target: string) => boolean {
  const rules = readHttpRules(API).map(({ method, template, rpc }) => ({
    method,
    template,
    value: rpc.methodKind === "unary",
  }));
  const router = createRouter(rules);
  const aliases = Object.entries(jsonPathOptions({ basePath }).pathAliases);
  return (method, target) => {
    const mark = target.indexOf("?");
    const path = (mark === -1 ? target : target.slice(0, mark)).slice(basePath.length);
    if (!target.startsWith(basePath) || target.includes("#")) return false;
    const [alias, prefix] = aliases.find(([alias]) => path.startsWith(alias)) ?? ["", ""];
    const match = router.route(method, prefix + path.slice(alias.length));
    return match.kind === "found" && match.route.value;
  };
}

class WholeHttpRequest implements HttpRequest {
  readonly httpVersion = "1.1";
  readonly method: string;
  readonly target: string;
  readonly body: Uint8Array;
  readonly contextValues: ContextValues;
  readonly codings: readonly ContentCoding[];
  readonly #request: WholeRequest;

  constructor(request: WholeRequest, contextValues: ContextValues, codings: readonly ContentCoding[]) {
    this.method = request.method;
    this.target = request.url;
    this.body = request.body;
    this.contextValues = contextValues;
    this.codings = codings;
    this.#request = request;
  }

  get origin(): string {
    const { headers, socket } = this.#request;
    return `${"encrypted" in socket ? "https" : "http"}://${headers.host}`;
  }

  get hasBody(): boolean {
    return this.body.length > 0;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  *headerEntries(): Iterable<readonly [string, string]> {
    const { headers } = this.#request;
    for (const name of Object.keys(headers)) {
      for (const value of [headers[name] ?? []].flat()) yield [name, value];
    }
  }

  receive(receiver: BodyReceiver): void {
    receiver.onData(this.body);
    receiver.onEnd();
  }

  consume(): void {}

  onGone(listener: () => void): () => void {
    return this.#request.onGone(listener);
  }
}
