import { ScalarType } from "@bufbuild/protobuf";
import { findIntegerType, parseCanonicalInteger } from "./integer-type.js";

/** Creates a function that reports whether a property name is a valid key. Returns undefined if all names are valid. */
export function createMapKeyCheck(scalar: ScalarType): ((key: string) => boolean) | undefined {
  if (scalar === ScalarType.BOOL) return (key) => key === "true" || key === "false";
  const type = findIntegerType(scalar);
  if (type === undefined) return undefined;
  return (key) => {
    const integer = parseCanonicalInteger(key);
    return integer !== undefined && integer >= type.min && integer <= type.max;
  };
}
