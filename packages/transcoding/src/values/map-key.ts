import { ScalarType } from "@bufbuild/protobuf";
import { findIntegerType, parseCanonicalInteger } from "./integer-type.js";

/** Creates the check whether a property's name is a key of maps of a type; undefined where every name is. */
export function createMapKeyCheck(scalar: ScalarType): ((key: string) => boolean) | undefined {
  if (scalar === ScalarType.BOOL) return (key) => key === "true" || key === "false";
  const type = findIntegerType(scalar);
  if (type === undefined) return undefined;
  return (key) => {
    const integer = parseCanonicalInteger(key);
    return integer !== undefined && integer >= type.min && integer <= type.max;
  };
}
