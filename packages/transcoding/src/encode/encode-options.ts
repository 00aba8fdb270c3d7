import type { Registry } from "@bufbuild/protobuf";
import type { EnumSpelling } from "../values/enum-spelling.js";

/** How responses are written. The defaults are those of ProtoJSON. */
export interface EncodeOptions {
  /** `json`: lowerCamelCase, or the field's `json_name`. `proto`: the name in the proto file. Default: json. */
  readonly fieldNames?: "json" | "proto";
  /**
   * `omit` leaves unset fields out. `null` writes every field: null where it has presence and is unset, otherwise its
   * default, `[]` or `{}`. Members of a oneof that are not chosen stay out, and so do unset fields for which null is a
   * value (`google.protobuf.Value` and `NullValue`). Default: omit.
   */
  readonly unset?: "omit" | "null";
  /** How enum values are spelled. Default: full. */
  readonly enums?: EnumSpelling;
  /**
   * How 64-bit integers are written. `number` is for clients whose parsers keep all digits, and for values that never reach 2^53:
   * JavaScript rounds larger ones in silence. Keys of maps are strings in any case. Both are read. Default: string.
   */
  readonly int64?: "string" | "number";
  /**
   * The fewest digits after the second of a `google.protobuf.Timestamp`; a finer one has 3, 6 or 9, as many as it needs.
   * Default: 0, which leaves the fraction of a whole second out.
   */
  readonly timestampDigits?: 0 | 3 | 6 | 9;
  /** The types that a `google.protobuf.Any` may hold. Default: none. */
  readonly registry?: Registry;
}
