import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { createGrpcFrame } from "../grpc-frame.js";
import { changeBytes } from "./fuzz-binary.js";
import type { AnswerForm } from "./fuzz-protocol.js";

/** An envelope begins with one byte of flags and four bytes of length. */
const PREFIX_BYTES = 5;
const COMPRESSED = 1;

/** The header that names the compression of messages. */
const ENCODING_HEADERS: Readonly<Record<AnswerForm, string>> = {
  json: "content-encoding",
  connect: "content-encoding",
  "connect-stream": "connect-content-encoding",
  grpc: "grpc-encoding",
  "grpc-web": "grpc-encoding",
};

export interface FuzzBody {
  readonly body: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Generates bodies without envelopes: mostly the message itself, sometimes the message in valid or damaged gzip. */
export function fuzzPlainBody(message: Uint8Array, form: AnswerForm): fc.Arbitrary<FuzzBody> {
  const headers = { [ENCODING_HEADERS[form]]: "gzip" };
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant({ body: message }) },
    { weight: 1, arbitrary: fc.constant({ body: gzipSync(message), headers }) },
    { weight: 1, arbitrary: changeBytes(gzipSync(message)).map((body) => ({ body, headers })) },
  );
}

/** Generates bodies of envelopes: mostly one valid envelope, sometimes none, several, or damaged ones. */
export function fuzzEnvelopes(message: Uint8Array, form: AnswerForm): fc.Arbitrary<FuzzBody> {
  const headers = { [ENCODING_HEADERS[form]]: "gzip" };
  const content = fc.oneof(
    { weight: 6, arbitrary: fc.constant(message) },
    { weight: 1, arbitrary: fc.constant(gzipSync(message)) },
    { weight: 1, arbitrary: fc.constant(new Uint8Array()) },
  );
  const flags = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.constantFrom(1, 2, 3, 0x80, 0x81, 0xff));
  const envelope = fc
    .tuple(content, flags, fuzzLength())
    .map(([bytes, flag, length]) => createGrpcFrame(bytes, flag, length));
  const plain = fc.oneof(
    { weight: 6, arbitrary: fc.constant(createGrpcFrame(message)) },
    { weight: 4, arbitrary: envelope },
    { weight: 1, arbitrary: fc.array(envelope, { maxLength: 3 }).map((envelopes) => Buffer.concat(envelopes)) },
    { weight: 1, arbitrary: envelope.chain((bytes) => fc.nat(bytes.length).map((end) => bytes.subarray(0, end))) },
    { weight: 1, arbitrary: envelope.chain(changeBytes) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }) },
  );
  const compressed = fc
    .oneof(fc.constant(gzipSync(message)), changeBytes(gzipSync(message)), fc.constant(message))
    .map((bytes) => createGrpcFrame(bytes, COMPRESSED));
  return fc.oneof(
    { weight: 7, arbitrary: plain.map((body) => ({ body })) },
    { weight: 1, arbitrary: compressed.map((body) => ({ body, headers })) },
  );
}

/** Whether a body is exactly one complete envelope with a message. */
export function isOneEnvelope(body: Uint8Array): boolean {
  if (body.length < PREFIX_BYTES) return false;
  const view = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return view.readUInt8() <= COMPRESSED && view.readUInt32BE(1) === body.length - PREFIX_BYTES;
}

/** Generates the length in an envelope's prefix: mostly undefined for the correct length, sometimes a wrong length. */
function fuzzLength(): fc.Arbitrary<number | undefined> {
  const wrong = fc.oneof(
    fc.constantFrom(0, 1, 4 * 1024 * 1024, 4 * 1024 * 1024 + 1, 2 ** 31, 2 ** 32 - 1),
    fc.nat(300),
  );
  return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: wrong });
}
