import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { status as codes } from "@grpc/grpc-js";
import { type ConnectErrorJson, readConnectDetails, readStatusDetails } from "../grpc-client.js";
import type { ErrorDetail } from "../refusal.js";
import type { AnswerForm } from "./fuzz-protocol.js";
import type { WireAnswer } from "./wire-client.js";

const COMPRESSED = 0x01;
const END_STREAM = 0x02;
const TRAILERS = 0x80;

export interface RpcOutcome {
  /** The name of a google.rpc code. If the response has only an HTTP status, `HTTP` and the status, such as `HTTP 404`. */
  readonly code: string;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

/**
 * Returns the outcome of an RPC over any protocol.
 *
 * @throws Error if the response has neither a code nor an error status.
 */
export function readRpcOutcome(form: AnswerForm, answer: WireAnswer): RpcOutcome {
  const isGrpc = form === "grpc" || form === "grpc-web";
  const outcome = isGrpc ? readGrpcOutcome(form, answer) : readJsonOutcome(form, answer);
  if (outcome !== undefined) return outcome;
  if (answer.status >= 400) return { code: `HTTP ${answer.status}`, message: "", details: [] };
  throw new Error(`the response with status ${answer.status} has no code`);
}

function readGrpcOutcome(form: "grpc" | "grpc-web", answer: WireAnswer): RpcOutcome | undefined {
  const frame = form === "grpc-web" ? readTrailerFrame(answer) : {};
  const fields: Readonly<Record<string, unknown>> = { ...answer.headers, ...answer.trailers, ...frame };
  const { "grpc-status": status, "grpc-message": message, "grpc-status-details-bin": bytes } = fields;
  if (status === undefined) return undefined;
  const details = bytes === undefined ? [] : readStatusDetails(Buffer.from(String(bytes), "base64"));
  return {
    code: codes[Number(status)] ?? `code ${status}`,
    message: decodeURIComponent(String(message ?? "")),
    details,
  };
}

function readTrailerFrame(answer: WireAnswer): Readonly<Record<string, string>> {
  const lines = findFrame(answer, TRAILERS, "grpc-encoding")?.toString("latin1").split("\r\n") ?? [];
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
}

function readJsonOutcome(form: AnswerForm, answer: WireAnswer): RpcOutcome | undefined {
  if (form === "connect-stream" && answer.status === 200) {
    const end = findFrame(answer, END_STREAM, "connect-content-encoding");
    return end && connectOutcome(JSON.parse(end.toString()).error ?? { code: "ok" });
  }
  if (answer.status < 400) return { code: "OK", message: "", details: [] };
  const body = parseBody(answer);
  return body.error === undefined ? body.code && connectOutcome(body) : { ...body.error, code: body.error.status };
}

function connectOutcome(error: ConnectErrorJson): RpcOutcome {
  const code = error.code === "canceled" ? "CANCELLED" : error.code.toUpperCase();
  return { code, message: error.message ?? "", details: readConnectDetails(error) };
}

function parseBody({ headers, body }: WireAnswer) {
  try {
    return JSON.parse(decompress(body, headers["content-encoding"]).toString());
  } catch {
    return {};
  }
}

/** Returns the decompressed content of the last envelope that has `flag` set; undefined if no envelope has it. */
function findFrame({ headers, body }: WireAnswer, flag: number, encodingHeader: string): Buffer | undefined {
  let found: Buffer | undefined;
  for (let at = 0; at + 5 <= body.length; ) {
    const flags = body.readUInt8(at);
    const end = at + 5 + body.readUInt32BE(at + 1);
    const content = body.subarray(at + 5, end);
    if ((flags & flag) !== 0)
      found = (flags & COMPRESSED) === 0 ? content : decompress(content, headers[encodingHeader]);
    at = end;
  }
  return found;
}

function decompress(bytes: Buffer, encoding: string | string[] | undefined): Buffer {
  if (encoding === "gzip") return gunzipSync(bytes);
  if (encoding === "br") return brotliDecompressSync(bytes);
  return encoding === "zstd" ? zstdDecompressSync(bytes) : bytes;
}
