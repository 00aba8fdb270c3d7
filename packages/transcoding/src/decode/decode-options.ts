import type { Registry } from "@bufbuild/protobuf";
import type { EnumSpelling } from "../values/enum-spelling.js";

/** How JSON in requests is read. By default, everything that ProtoJSON allows is accepted, and unknown names are rejected. */
export interface DecodeOptions {
  /**
   * Whether 32-bit integers, floats and doubles must be JSON numbers, and enum values must be names. With `enums: "number"`, enum values must be
   * numbers instead. Default: false.
   */
  readonly strictTypes?: boolean;
  /** Whether an unknown field in a body is a violation (`refuse`) or is ignored (`ignore`). Default: `refuse`. */
  readonly unknownFields?: "refuse" | "ignore";
  /** Whether an unknown query parameter is a violation (`refuse`) or ignored (`ignore`). A list names parameters to ignore. Default: `refuse`. */
  readonly unknownQuery?: "refuse" | "ignore" | readonly string[];
  /** Whether a NUL character in a string is a violation; some databases cannot store it. Default: false. */
  readonly refuseNul?: boolean;
  /** How descriptions of violations spell enum values. Unless `strictTypes` is true, requests may use every name and the number. Default: `full`. */
  readonly enums?: EnumSpelling;
  /** The message types that a `google.protobuf.Any` may contain. Default: none. */
  readonly registry?: Registry;
}
