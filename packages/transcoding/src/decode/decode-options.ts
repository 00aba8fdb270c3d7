import type { Registry } from "@bufbuild/protobuf";
import type { EnumSpelling } from "../values/enum-spelling.js";

/** How requests are read. Without options everything that ProtoJSON allows is taken, and what is unknown is refused. */
export interface DecodeOptions {
  /** Whether 32-bit integers, floats and doubles must be JSON numbers, and enums what `enums` says. Default: false. */
  readonly strictTypes?: boolean;
  /** What happens to body fields that the message does not have. Default: `refuse`, a violation each. */
  readonly unknownFields?: "refuse" | "ignore";
  /** What happens to unknown query parameters; a list names those to ignore. Default: `refuse`, a violation each. */
  readonly unknownQuery?: "refuse" | "ignore" | readonly string[];
  /** Whether a NUL character in a string is a violation; some stores cannot hold one. Default: false. */
  readonly refuseNul?: boolean;
  /** How violations spell the values of an enum; every spelling is taken, unless `strictTypes` is set. Default: `full`. */
  readonly enums?: EnumSpelling;
  /** The types that a `google.protobuf.Any` may hold. Default: none. */
  readonly registry?: Registry;
}
