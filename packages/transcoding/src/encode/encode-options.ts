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
  /** The types that a `google.protobuf.Any` may hold. Default: none. */
  readonly registry?: Registry;
}
