import { create } from "@bufbuild/protobuf";
import { type Duration, DurationSchema } from "@bufbuild/protobuf/wkt";

const PATTERN = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;
const MAX_SECONDS = 315_576_000_000;

/** Parses a ProtoJSON duration, such as `-1.5s`, with up to nine decimals. Undefined for other texts, and for more than 10000 years. */
export function parseDuration(text: string): Duration | undefined {
  const match = PATTERN.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, sign, digits, fraction = ""] = match;
  const seconds = Number(digits);
  const nanos = Number(fraction.padEnd(9, "0"));
  if (seconds > MAX_SECONDS || (seconds === MAX_SECONDS && nanos > 0)) {
    return undefined;
  }
  const negative = sign === "-";
  return create(DurationSchema, {
    seconds: BigInt(negative ? -seconds : seconds),
    nanos: negative && nanos > 0 ? -nanos : nanos,
  });
}
