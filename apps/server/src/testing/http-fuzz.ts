import { connect } from "node:net";
import { CreateAccountRequestSchema } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { CreatePoolRequestSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import fc from "fast-check";
import { expectError, type JsonPathAnswer } from "./expect-documented.js";
import { fuzzHeaders } from "./fuzz/fuzz-headers.js";
import { fuzzJson } from "./fuzz/fuzz-json.js";

const SILENCE_MS = 10_000;

/** A generated request. Its parts are sent without encoding or validation. */
export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
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

const body = fc.constantFrom(CreateAccountRequestSchema, CreatePoolRequestSchema).chain((desc) => fuzzJson(desc, {}));

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
    fc.constantFrom("accept", "connect-protocol-version", "content-encoding", "expect", "te", "upgrade", "origin"),
    headerValue,
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
  headers: fc
    .tuple(fc.array(header, { maxLength: 3 }), fuzzHeaders())
    // Compressed responses would not be readable as text.
    .map(([odd, known]) => [...odd, ...Object.entries(known)].filter(([name]) => name !== "accept-encoding")),
  body,
});

/**
 * Sends a generated request over a new connection.
 *
 * @returns a description of the problem: a 5xx status that it did not ask for, a timeout or a connection that ends without a
 *   response; undefined if the response is valid.
 * @throws the error of an assertion if the response is a malformed error.
 */
export async function findFuzzProblem(port: number, request: FuzzRequest): Promise<string | undefined> {
  const raw = await exchange(port, formatRequest(request));
  if (typeof raw === "string") return raw;
  const asksForTimeout = request.headers.some(([name]) => name.includes("-timeout"));
  if (raw.status >= 500 && !(raw.status === 504 && asksForTimeout)) return `${raw.status} ${raw.text}`;
  if (raw.status >= 400 && request.method !== "HEAD") expectError(raw);
  return undefined;
}

function formatRequest({ method, target, headers, body }: FuzzRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = `${method} ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${lines}content-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, "utf8"), body]);
}

function exchange(port: number, bytes: Buffer): Promise<JsonPathAnswer | string> {
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

function parseAnswer(text: string): JsonPathAnswer | string {
  const match = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n(.*?)\r\n\r\n(.*)$/s.exec(text);
  if (match === null) return `no HTTP answer: ${JSON.stringify(text.slice(0, 200))}`;
  const [, status, head = "", body = ""] = match;
  const headers = new Headers(head.split("\r\n").map((line) => line.split(/: *(.*)/s, 2) as [string, string]));
  return { status: Number(status), headers, text: headers.has("transfer-encoding") ? joinChunks(body) : body };
}

function joinChunks(body: string): string {
  return body.replace(/(?:^|\r\n)[0-9a-f]+\r\n/gi, "");
}
