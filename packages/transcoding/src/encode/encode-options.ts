import type { Registry } from "@bufbuild/protobuf";
import type { EnumSpelling } from "../values/enum-spelling.js";

/** Options for writing responses. The defaults are those of ProtoJSON. */
export interface EncodeOptions {
  /** `json`: lowerCamelCase, or the field's `json_name`. `proto`: the name in the proto file. Default: json. */
  readonly fieldNames?: "json" | "proto";
  /**
   * `omit` leaves out unset fields. `null` writes every field: null for an unset field with presence, otherwise its default, `[]` or `{}`. It still
   * omits unset members of a oneof, and unset fields for which null is a value (`google.protobuf.Value` and `NullValue`). Default: omit.
   */
  readonly unset?: "omit" | "null";
  /** How enum values are spelled. Default: full. */
  readonly enums?: EnumSpelling;
  /**
   * How 64-bit integers are written. Use `number` if all clients' parsers keep all digits, or if values stay below 2^53;
   * JavaScript silently rounds larger ones. Map keys are always strings. Requests may use both forms. Default: string.
   */
  readonly int64?: "string" | "number";
  /**
   * The minimum number of fractional digits of a `google.protobuf.Timestamp`. More precise values get 3, 6 or 9 digits, as
   * needed. Default: 0, which omits the fraction of whole seconds.
   */
  readonly timestampDigits?: 0 | 3 | 6 | 9;
  /** The types that a `google.protobuf.Any` may contain. Default: none. */
  readonly registry?: Registry;
}
