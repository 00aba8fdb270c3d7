import fc from "fast-check";
import { ODD_TEXTS } from "./odd-values.js";

const TIMEOUTS = [
  ...["0", "1", "1n", "0m", "1m", "20m", "5S", "99999999H", "100000000S"],
  ...["-1", "x", "1e9", "0.001", "99999999999999"],
];

const ENCODINGS = ["identity", "gzip", "br", "zstd", "deflate", "zip", "gzip, gzip", ""];

const VALUES = [
  ...["*/*", "text/event-stream", "application/x-ndjson", '"a"', "*"],
  ...ODD_TEXTS.filter((text) => /^[ -~]+$/.test(text) && text.length < 100 && text.trim() === text),
];

const header = fc.oneof(
  fc.tuple(fc.constantFrom("grpc-timeout", "connect-timeout-ms", "x-server-timeout"), fc.constantFrom(...TIMEOUTS)),
  fc.tuple(
    fc.constantFrom("grpc-encoding", "content-encoding", "connect-content-encoding"),
    fc.constantFrom(...ENCODINGS),
  ),
  fc.tuple(
    fc.constantFrom("grpc-accept-encoding", "accept-encoding", "connect-accept-encoding"),
    fc.constantFrom("gzip", "identity", "zip", "*"),
  ),
  fc.tuple(
    fc.constantFrom(
      ...["accept", "connect-protocol-version", "x-request-id", "idempotency-key", "if-match", "if-none-match"],
      ...["x-a-bin", "origin", "traceparent", "authorization"],
    ),
    fc.constantFrom(...VALUES),
  ),
);

/** Generates headers other than the content type; mostly none. */
export function fuzzHeaders(): fc.Arbitrary<Readonly<Record<string, string>>> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.array(header, { maxLength: 3 }).map((entries) => Object.fromEntries(entries)) },
  );
}
