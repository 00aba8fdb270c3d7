import { ScalarType } from "@bufbuild/protobuf";
import { findIntegerType, parseCanonicalInteger } from "./integer-type.js";

/** Creates a function that checks whether a property name is a valid map key of the type. Undefined if every name is. */
export function createMapKeyCheck(scalar: ScalarType): ((key: string) => boolean) | undefined {
  if (scalar === ScalarType.BOOL) return (key) => key === "true" || key === "false";
  const type = findIntegerType(scalar);
  if (type === undefined) return undefined;
  return (key) => {
    const integer = parseCanonicalInteger(key);
    return integer !== undefined && integer >= type.min && integer <= type.max;
  };
}
