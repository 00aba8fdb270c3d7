import { type DescField, getOption, hasOption } from "@bufbuild/protobuf";
import { range as rangeOption } from "../gen/transcoding/v1/range_pb.js";
import type { IntegerType } from "../values/integer-type.js";

/** Returns the smallest and largest valid value of an integer field: those of its type, unless its option `transcoding.v1.range` sets others. */
export function findIntegerRange(field: DescField, type: IntegerType): Pick<IntegerType, "min" | "max"> {
  if (!hasOption(field, rangeOption)) return type;
  const { min = type.min, max = type.max } = getOption(field, rangeOption);
  return { min, max };
}
