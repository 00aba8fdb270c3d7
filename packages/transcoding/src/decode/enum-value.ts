import type { DescEnum } from "@bufbuild/protobuf";
import { listDocumentedEnumNames, mapEnumNames } from "../values/enum-spelling.js";
import { INT32, parseCanonicalInteger, toLocalInteger } from "../values/integer-type.js";
import type { DecodeOptions } from "./decode-options.js";
import type { TextParser } from "./text-parser.js";

/** Creates the parser of an enum from text. It accepts every name of a value, and every valid number. */
export function createEnumTextParser(desc: DescEnum, options: DecodeOptions): TextParser {
  const numbers = mapEnumNames(desc);
  const isNumber = createEnumNumberCheck(desc);
  return {
    parse: (text) => {
      const number = numbers.get(text) ?? toLocalInteger(parseCanonicalInteger(text), INT32, false);
      return number !== undefined && isNumber(Number(number)) ? number : undefined;
    },
    expected: `must be one of ${describeEnum(desc, options)}`,
  };
}

/** Creates a function that checks numbers of an enum. An open enum accepts any, a closed one only declared numbers. */
export function createEnumNumberCheck(desc: DescEnum): (number: number) => boolean {
  const numbers = new Set(desc.values.map((value) => value.number));
  return desc.open ? () => true : (number) => numbers.has(number);
}

/** Lists the values of an enum for a violation. */
export function describeEnum(desc: DescEnum, options: DecodeOptions): string {
  return listDocumentedEnumNames(desc, options.enums ?? "full").join(", ");
}
