import type { DescEnum } from "@bufbuild/protobuf";
import { enumNumbers, offeredEnumNames } from "../values/enum-spelling.js";
import { INT32, parseCanonicalInteger, toLocalInteger } from "../values/integer-type.js";
import type { DecodeOptions } from "./decode-options.js";
import type { TextParser } from "./text-parser.js";

/** Creates the parser for an enum: any of its names, or a number that it may hold. */
export function createEnumTextParser(desc: DescEnum, options: DecodeOptions): TextParser {
  const numbers = enumNumbers(desc);
  const isNumber = createEnumNumberCheck(desc);
  return {
    parse: (text) => {
      const number = numbers.get(text) ?? toLocalInteger(parseCanonicalInteger(text), INT32, false);
      return number !== undefined && isNumber(Number(number)) ? number : undefined;
    },
    expected: `must be one of ${describeEnum(desc, options)}`,
  };
}

/** Creates the check of an enum's numbers: an open enum takes any, a closed one only those that it declares. */
export function createEnumNumberCheck(desc: DescEnum): (number: number) => boolean {
  const numbers = new Set(desc.values.map((value) => value.number));
  return desc.open ? () => true : (number) => numbers.has(number);
}

/** Lists the values of an enum for a violation. */
export function describeEnum(desc: DescEnum, options: DecodeOptions): string {
  return offeredEnumNames(desc, options.enums ?? "full").join(", ");
}
