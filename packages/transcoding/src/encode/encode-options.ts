import type { Registry } from "@bufbuild/protobuf";
import type { EnumSpelling } from "../values/enum-spelling.js";

/** How JSON in responses is written. The defaults are those of ProtoJSON. */
export interface EncodeOptions {
  /** The names of fields: lowerCamelCase or the field's `json_name` (`json`), or the name in the proto file (`proto`). Default: `json`. */
  readonly fieldNames?: "json" | "proto";
  /**
   * Whether unset fields are omitted (`omit`) or written (`null`). With `null`, an unset field with presence is written as null. Any other unset
   * field is written as its default value, `[]` or `{}`. Unset members of a oneof, and unset fields of the types `google.protobuf.Value` and
   * `NullValue`, are always omitted. Default: `omit`.
   */
  readonly unset?: "omit" | "null";
  /** How enum values are spelled. Default: `full`. */
  readonly enums?: EnumSpelling;
  /**
   * How 64-bit integers are written. Use `number` only if the parsers of all clients preserve all digits, or if values stay below 2^53, because
   * JavaScript silently rounds larger numbers. Map keys are always strings. Requests may contain strings and numbers, regardless of this option.
   * Default: `string`.
   */
  readonly int64?: "string" | "number";
  /**
   * The minimum number of fractional digits in a `google.protobuf.Timestamp`. A more precise value gets the 3, 6 or 9 digits that it needs. Default:
   * 0, which omits the fraction of whole seconds.
   */
  readonly timestampDigits?: 0 | 3 | 6 | 9;
  /** The message types that a `google.protobuf.Any` may contain. Default: none. */
  readonly registry?: Registry;
}
