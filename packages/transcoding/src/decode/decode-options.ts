import type { Registry } from "@bufbuild/protobuf";
import type { EnumSpelling } from "../values/enum-spelling.js";

/** Options for reading requests. By default, all ProtoJSON is accepted, and unknown names are rejected. */
export interface DecodeOptions {
  /** Whether 32-bit integers, floats and doubles must be JSON numbers, and enums spelled as `enums` says. Default: false. */
  readonly strictTypes?: boolean;
  /** How to treat body fields that the message does not have. `refuse` makes each a violation. Default: `refuse`. */
  readonly unknownFields?: "refuse" | "ignore";
  /** How to treat unknown query parameters: `refuse` makes each a violation, and a list names parameters to ignore. Default: `refuse`. */
  readonly unknownQuery?: "refuse" | "ignore" | readonly string[];
  /** Whether a NUL character in a string is a violation; some databases cannot store it. Default: false. */
  readonly refuseNul?: boolean;
  /** How violations list the values of an enum. Requests may use any spelling unless `strictTypes` is set. Default: `full`. */
  readonly enums?: EnumSpelling;
  /** The types that a `google.protobuf.Any` may contain. Default: none. */
  readonly registry?: Registry;
}
