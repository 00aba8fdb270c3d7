import { isOneEnvelope } from "./fuzz-body.js";
import type { FuzzCall } from "./fuzz-call.js";
import { readRpcOutcome } from "./rpc-outcome.js";
import type { WireAnswer } from "./wire-client.js";

export interface FuzzVerdict {
  /**
   * The name of a google.rpc code, or an HTTP status such as `HTTP 404`. If the response is incomplete or unreadable, a description of the failure.
   */
  readonly outcome: string;
  readonly isExpected: boolean;
}

/** The codes that any request may get. */
const EXPECTED = new Set([
  ...["OK", "INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED"],
  ...["FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNAUTHENTICATED"],
]);

const TIMEOUT_HEADERS = ["grpc-timeout", "connect-timeout-ms", "x-server-timeout"];
const ENCODING_HEADERS = ["grpc-encoding", "content-encoding", "connect-content-encoding"];

export function judgeAnswer(call: FuzzCall, answer: WireAnswer): FuzzVerdict {
  // If a request body never ends and the response has begun, the server can only reset the stream.
  if (answer.end !== "whole") return { outcome: answer.end, isExpected: call.isCut === true && answer.end !== "hang" };
  const outcome = readOutcome(call, answer);
  return { outcome, isExpected: isExpected(call, outcome, answer.status) };
}

function readOutcome(call: FuzzCall, answer: WireAnswer): string {
  try {
    return readRpcOutcome(call.protocol.form, answer).code;
  } catch (error) {
    // The client reads only the beginning of an endless response, which contains no code.
    return call.isEndless ? "OK" : String(error);
  }
}

function isExpected(call: FuzzCall, outcome: string, status: number): boolean {
  switch (outcome) {
    case "HTTP 505":
      return call.version === "HTTP/1.1" && call.method.method.methodKind === "bidi_streaming";
    case "DEADLINE_EXCEEDED":
      return call.isCut || TIMEOUT_HEADERS.some((name) => name in call.headers);
    case "UNIMPLEMENTED":
      return status === 405 || asksForMore(call);
    case "INTERNAL":
      // Connect reports a message that it cannot decode as `INTERNAL`. gRPC reports an envelope with wrong flags as `INTERNAL`.
      return (call.protocol.form === "grpc-web" && call.method.method.methodKind === "unary") || hasFlags(call);
    default:
      return status < 500 && (EXPECTED.has(outcome) || outcome.startsWith("HTTP 4"));
  }
}

function hasFlags({ body, protocol }: FuzzCall): boolean {
  let rest = Buffer.from(protocol.framing === "envelope" ? (body ?? []) : []);
  while (rest.length >= 5 && rest[0] === 0) rest = rest.subarray(5 + rest.readUInt32BE(1));
  return rest.length >= 5;
}

/** Whether `UNIMPLEMENTED` is expected: the request names an encoding, or does not have exactly one message. */
function asksForMore({ headers, target, body, protocol }: FuzzCall): boolean {
  if (ENCODING_HEADERS.some((name) => name in headers) || target.includes("compression=zip")) return true;
  return protocol.framing === "envelope" && !isOneEnvelope(body ?? new Uint8Array());
}
