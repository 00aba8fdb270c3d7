import { create } from "@bufbuild/protobuf";
import { protoSnakeCase } from "@bufbuild/protobuf/reflect";
import { type FieldMask, FieldMaskSchema } from "@bufbuild/protobuf/wkt";

/**
 * Reads a field mask as ProtoJSON has it: paths in lowerCamelCase with commas between. The names of the proto file are
 * taken as well, as they are for every other field, and `*` (AIP-134). Returns undefined where a path is empty or holds
 * white space.
 */
export function parseFieldMask(text: string): FieldMask | undefined {
  const paths = text === "" ? [] : text.split(",");
  return paths.every((path) => /^[^\s.]+(\.[^\s.]+)*$/.test(path))
    ? create(FieldMaskSchema, { paths: paths.map(protoSnakeCase) })
    : undefined;
}
