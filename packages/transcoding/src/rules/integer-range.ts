import { type DescField, getOption, hasOption } from "@bufbuild/protobuf";
import { range as rangeOption } from "../gen/transcoding/v1/range_pb.js";
import type { IntegerType } from "../values/integer-type.js";

/** Returns the valid integers of a field: the range of its type, narrowed by its option `transcoding.v1.range`. */
export function integerRangeOf(field: DescField, type: IntegerType): Pick<IntegerType, "min" | "max"> {
  if (!hasOption(field, rangeOption)) return type;
  const { min = type.min, max = type.max } = getOption(field, rangeOption);
  return { min, max };
}
