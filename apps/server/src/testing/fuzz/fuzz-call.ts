import fc from "fast-check";
import { isEndlessStreamMethod } from "../../http/endless-streams.js";
import { HTTP_VERSIONS } from "../http-request.js";
import { fuzzBinary } from "./fuzz-binary.js";
import { type FuzzBody, fuzzEnvelopes, fuzzPlainBody } from "./fuzz-body.js";
import { fuzzHeaders } from "./fuzz-headers.js";
import { fuzzJson } from "./fuzz-json.js";
import type { FuzzMethod } from "./fuzz-method.js";
import { FUZZ_PROTOCOLS, type FuzzProtocol } from "./fuzz-protocol.js";
import { fuzzPathRequest, fuzzQuery } from "./fuzz-target.js";
import type { WireRequest } from "./wire-client.js";

export interface FuzzCall extends WireRequest {
  readonly method: FuzzMethod;
  readonly protocol: FuzzProtocol;
}

type Sent = Pick<FuzzCall, "verb" | "target" | "body"> & Pick<FuzzBody, "headers">;

/** On average, one in this many request bodies never ends. Unfinished bodies are rare, because each such request lasts until `BODY_TIMEOUT`. */
const BODIES_TO_ONE_CUT = 150;

/** The maximum length of a request target, in characters. The server's limit for request headers is higher, and other tests cover it. */
const MAX_TARGET_LENGTH = 12_000;

export function fuzzCall(methods: readonly FuzzMethod[]): fc.Arbitrary<FuzzCall> {
  return fc
    .constantFrom(...methods)
    .chain((method) => fuzzProtocol(method).chain((protocol) => fuzzCallOf(method, protocol)))
    .filter(({ target }) => target.length <= MAX_TARGET_LENGTH);
}

/** Generates mostly protocols that support the method. */
function fuzzProtocol({ method, path }: FuzzMethod): fc.Arbitrary<FuzzProtocol> {
  const possible = FUZZ_PROTOCOLS.filter(({ form }) => form !== "json" || path !== undefined);
  const unfit = method.methodKind === "unary" ? "connect-stream" : "connect";
  const fitting = possible.filter(({ form, framing }) => form !== unfit && framing !== "base64");
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...fitting) },
    { weight: 1, arbitrary: fc.constantFrom(...possible) },
  );
}

function fuzzCallOf(method: FuzzMethod, protocol: FuzzProtocol): fc.Arbitrary<FuzzCall> {
  const { contentType } = protocol;
  return fc
    .record({
      version: fc.constantFrom(...HTTP_VERSIONS),
      sent: fuzzSent(method, protocol),
      headers: fuzzHeaders(),
      transfer: fc.constantFrom("whole", "in two pieces", "in chunks"),
      cut: fc.nat(BODIES_TO_ONE_CUT),
    })
    .map(({ version, sent, headers, transfer, cut }) => ({
      method,
      protocol,
      version,
      ...sent,
      headers: { ...(contentType !== undefined && { "content-type": contentType }), ...headers, ...sent.headers },
      transfer,
      isEndless: isEndlessStreamMethod(method.method),
      isCut: cut === 0 && sent.body !== undefined && sent.body.length > 0,
    }));
}

function fuzzSent(method: FuzzMethod, { form, codec, framing }: FuzzProtocol): fc.Arbitrary<Sent> {
  if (form === "json") return fuzzPathRequest(method);
  const { input } = method.method;
  const message = codec === "json" ? fuzzJson(input, method.json) : fuzzBinary(input, method.binary);
  const target = `/${method.name}`;
  if (framing === "get") {
    const query = message.chain((bytes) => fuzzQuery(bytes, codec));
    return query.map((text) => ({ verb: "GET", target: `${target}?${text}`, body: undefined }));
  }
  const body = message.chain((bytes) => (framing === "none" ? fuzzPlainBody(bytes, form) : fuzzEnvelopes(bytes, form)));
  const verb = fc.oneof({ weight: 40, arbitrary: fc.constant("POST") }, fc.constantFrom("PUT", "DELETE", "PATCH"));
  return fc.tuple(verb, body).map(([verb, sent]) => ({ verb, target, ...sent, body: inFraming(sent.body, framing) }));
}

function inFraming(body: Uint8Array, framing: FuzzProtocol["framing"]): Uint8Array {
  return framing === "base64" ? Buffer.from(Buffer.from(body).toString("base64")) : body;
}
