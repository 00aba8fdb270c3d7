import type { DescEnum } from "@bufbuild/protobuf";
import { Option } from "commander";
import { findEnumNumber, listEnumNames } from "../text/enum-name.js";
import { requireOptionValue } from "./option-value.js";

/** Creates an option that takes names of enum values. The parsed result is the enum value or, if the option is variadic, the list of enum values. */
export function createEnumOption(flags: string, description: string, desc: DescEnum): Option {
  const names = listEnumNames(desc);
  // The choices are only for help and completion, because `argParser` replaces the parser that `choices` sets.
  const option = new Option(flags, description).choices(names);
  return option.argParser<unknown>((name, others = []) => {
    const number = requireOptionValue(findEnumNumber(desc, name), `Allowed choices are ${names.join(", ")}.`);
    return option.variadic ? [others, number].flat() : number;
  });
}
