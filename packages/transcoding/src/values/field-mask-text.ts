import { create } from "@bufbuild/protobuf";
import { protoSnakeCase } from "@bufbuild/protobuf/reflect";
import { type FieldMask, FieldMaskSchema } from "@bufbuild/protobuf/wkt";

/**
 * Parses a ProtoJSON field mask: comma-separated paths in lowerCamelCase. It also accepts the names of the proto file, as for
 * all field names, and `*` (AIP-134). Returns undefined if a path is empty or contains white space.
 */
export function parseFieldMask(text: string): FieldMask | undefined {
  const paths = text === "" ? [] : text.split(",");
  return paths.every((path) => /^[^\s.]+(\.[^\s.]+)*$/.test(path))
    ? create(FieldMaskSchema, { paths: paths.map(protoSnakeCase) })
    : undefined;
}
