import { connect } from "node:net";
import fc from "fast-check";

const SILENCE_MS = 10_000;

/** The response to a generated request. */
interface Answer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** A generated request. Its parts are sent without encoding or validation. */
export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

const oddSegment = fc.oneof(
  fc.constantFrom(
    "accounts",
    "pools",
    "phone_numbers",
    "acme",
    "1",
    "05",
    "..",
    ".",
    "",
    "%2F",
    "%2f",
    "%00",
    "%",
    "%zz",
  ),
  fc.constantFrom(
    "%C0%AF",
    "%ED%A0%80",
    "%F4%90%80%80",
    "a:b",
    "pools:export",
    "pools:nope",
    ":",
    "*",
    "**",
    "{a}",
    "%25",
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 6 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.uuid(),
);

const knownPath = fc.constantFrom(
  "/call_tracking/accounts",
  "/call_tracking/accounts/1",
  "/dni_manager/accounts/acme/pools",
  "/dni_manager/accounts/acme/phone_numbers",
  "/dni_manager/accounts/acme/pools:export",
  "/healthz",
);

const target = fc
  .tuple(
    fc.oneof(
      knownPath,
      fc.array(oddSegment, { maxLength: 7 }).map((segments) => `/${segments.join("/")}`),
      fc.tuple(knownPath, oddSegment).map(([path, segment]) => `${path}/${segment}`),
      fc.constantFrom("*", "http://example.com/call_tracking/accounts", "//", "/?", "/#", ""),
    ),
    fc.option(
      fc.oneof(
        fc.constantFrom(
          "page_size=1",
          "page_size=0",
          "page_size=x&page_size=1",
          "page_token=abc",
          "pageSize=2",
          "%",
          "a=%zz",
        ),
        fc.string({ maxLength: 20 }),
      ),
      { nil: undefined },
    ),
  )
  .map(([path, query]) => (query === undefined ? path : `${path}?${query}`));

const fieldName = fc.constantFrom(
  "account_token",
  "accountToken",
  "is_active",
  "phone_number",
  "original_number",
  "area_code",
  "size",
  "utilization",
  "utilisation",
  "pool_type",
  "__proto__",
  "",
);

const jsonText = fc.oneof(
  fc.dictionary(fieldName, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 }).map((value) => JSON.stringify(value)),
  fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.stringify(value)),
);

const body = fc.oneof(
  { weight: 3, arbitrary: jsonText },
  fc.tuple(jsonText, fc.nat(40)).map(([text, cut]) => text.slice(0, cut)),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "",
    "\ufeff{}",
    '{"size":1e999}',
    '{"size":1,"size":2}',
    '{"account_token":"\\ud800"}',
    "[".repeat(5000),
  ),
);

const headerValue = fc.string({ maxLength: 20 }).map((text) => text.replace(/[^ -~]/g, "").trim());

const header = fc.oneof(
  fc.tuple(
    fc.constant("content-type"),
    fc.oneof(
      fc.constantFrom(
        "application/json",
        "application/json; charset=utf-8",
        "text/plain",
        "application/grpc",
        "application/proto",
        "",
      ),
      headerValue,
    ),
  ),
  fc.tuple(
    fc.constant("accept"),
    fc.oneof(fc.constantFrom("*/*", "text/event-stream", "application/x-ndjson;q=x"), headerValue),
  ),
  fc.tuple(
    fc.constant("content-encoding"),
    fc.oneof(fc.constantFrom("gzip", "br", "zstd", "identity", "gzip, gzip"), headerValue),
  ),
  fc.tuple(
    fc.constantFrom("accept-encoding", "expect", "te", "upgrade", "origin", "connect-protocol-version"),
    headerValue,
  ),
  fc.tuple(
    fc.constantFrom("x-server-timeout", "grpc-timeout", "connect-timeout-ms"),
    fc.constantFrom("5", "-1", "1e9", "x", "10S", ""),
  ),
);

/**
 * Generates requests that a client could send by mistake or malice. RPC paths are excluded, because their errors have the format of
 * Connect.
 */
export const fuzzRequest: fc.Arbitrary<FuzzRequest> = fc.record({
  method: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("GET", "POST", "PUT") },
    fc.constantFrom("DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "BREW", ""),
  ),
  target,
  headers: fc.array(header, { maxLength: 4 }),
  body,
});

/**
 * Sends a generated request over a new connection.
 *
 * @returns a description of the problem: a 5xx status, a timeout, a connection that ends without a response, or a malformed error;
 *   undefined if the response is valid.
 */
export async function findFuzzProblem(port: number, request: FuzzRequest): Promise<string | undefined> {
  const raw = await exchange(port, formatRequest(request));
  if (typeof raw === "string") return raw;
  if (raw.status >= 500) return `${raw.status} ${raw.body}`;
  if (raw.status < 400 || request.method === "HEAD") return undefined;
  return isErrorShape(raw) ? undefined : `${raw.status} ${raw.contentType} ${raw.body}`;
}

function formatRequest({ method, target, headers, body }: FuzzRequest): Buffer {
  const bytes = Buffer.from(body);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = `${method} ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${lines}content-length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, "utf8"), bytes]);
}

function exchange(port: number, bytes: Buffer): Promise<Answer | string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1");
    const end = (problem?: string) => {
      socket.destroy();
      resolve(problem ?? parseAnswer(Buffer.concat(chunks).toString("utf8")));
    };
    socket.setTimeout(SILENCE_MS, () => end("no answer"));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("end", () => end());
    // The server may reject a request, and reset the connection, before it has received the whole body.
    socket.on("error", (error) => end(chunks.length > 0 ? undefined : error.message));
    // Not end(): Node.js treats a half-closed connection as a disconnected client.
    socket.write(bytes);
  });
}

function parseAnswer(text: string): Answer | string {
  const match = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n(.*?)\r\n\r\n(.*)$/s.exec(text);
  if (match === null) return `no HTTP answer: ${JSON.stringify(text.slice(0, 200))}`;
  const [, status, head = "", body = ""] = match;
  const contentType = /^content-type: *(.*)$/im.exec(head)?.[1];
  const chunked = /^transfer-encoding: *chunked/im.test(head);
  return { status: Number(status), contentType, body: chunked ? joinChunks(body) : body };
}

function joinChunks(body: string): string {
  return body.replace(/(?:^|\r\n)[0-9a-f]+\r\n/gi, "");
}

function isErrorShape({ status, contentType, body }: Answer): boolean {
  if (contentType !== "application/json") return false;
  try {
    const { error } = JSON.parse(body.trim());
    const info = error.details.find((detail: { "@type": string }) => detail["@type"].endsWith("google.rpc.ErrorInfo"));
    return error.code === status && typeof error.message === "string" && typeof info.reason === "string";
  } catch {
    return false;
  }
}
