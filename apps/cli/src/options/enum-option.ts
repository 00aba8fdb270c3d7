import type { DescEnum } from "@bufbuild/protobuf";
import { Option } from "commander";
import { findEnumNumber, listEnumNames } from "../text/enum-name.js";
import { requireValue } from "./option-value.js";

/** Creates an option that takes the name of an enum value, or several if it is variadic, and whose value holds their numbers. */
export function enumOption(flags: string, description: string, desc: DescEnum): Option {
  const names = listEnumNames(desc);
  // The choices serve help and completion: `argParser` replaces the parser that `choices` sets.
  const option = new Option(flags, description).choices(names);
  return option.argParser<unknown>((name, others = []) => {
    const number = requireValue(findEnumNumber(desc, name), `Allowed choices are ${names.join(", ")}.`);
    return option.variadic ? [others, number].flat() : number;
  });
}
