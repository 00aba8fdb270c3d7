import { create } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";

const PATTERN = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/;
const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59Z");

/**
 * Reads a timestamp as ProtoJSON has it: RFC 3339 with capital letters, up to nine digits of a second, `Z` or an offset,
 * and years 1 to 9999. Returns undefined for any other text, and for days that no month has.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = PATTERN.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, local = "", fraction = "", sign, hours, minutes] = match;
  const localMs = Date.parse(`${local}Z`);
  // Date.parse takes 24:00:00 and carries February 30 over to March; no such text comes out again as it went in.
  if (Number.isNaN(localMs) || !new Date(localMs).toISOString().startsWith(local)) {
    return undefined;
  }
  const offset = sign === undefined ? 0 : parseOffset(sign, Number(hours), Number(minutes));
  const ms = offset === undefined ? Number.NaN : localMs - offset;
  return ms >= FIRST_MS && ms <= LAST_MS
    ? create(TimestampSchema, { seconds: BigInt(ms / 1000), nanos: Number(fraction.padEnd(9, "0")) })
    : undefined;
}

function parseOffset(sign: string, hours: number, minutes: number): number | undefined {
  const ms = (hours * 60 + minutes) * 60_000;
  return hours > 23 || minutes > 59 ? undefined : sign === "-" ? -ms : ms;
}
