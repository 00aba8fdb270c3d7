import {
  type PhoneSystemCapability,
  PhoneSystemCapabilitySchema,
} from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import { enumOption } from "../../options/enum-option.js";

/** The options for the rules of a phone system. */
export interface RuleOptions {
  readonly fallback?: string;
  readonly country?: string;
  readonly trunkPrefix?: string;
  readonly allow?: readonly string[];
  readonly allowSipHosts?: readonly string[];
  readonly can?: PhoneSystemCapability[];
}

/** Adds the options, except for the fallback number, which not every command requires. */
export function addRuleOptions(command: CliCommand): CliCommand {
  return command
    .option("--country <digits>", "the country calling code of national numbers, such as 49")
    .option(
      "--trunk-prefix <digits>",
      "the prefix of national numbers, such as 0; numbers without it are international",
    )
    .option(
      "--allow <prefixes...>",
      "dial all numbers with these prefixes, such as +49 +43, and no others (default: its countries, without costly numbers)",
    )
    .option(
      "--allow-sip-hosts <hosts...>",
      "dial SIP URIs of call flows with these hosts, and no others (default: none)",
    )
    .addOption(
      enumOption("--can <capabilities...>", "what the PBX can do, for the kind sip", PhoneSystemCapabilitySchema),
    );
}

/** Returns the fields of a request. */
export function rulesOf({ fallback, country, trunkPrefix, allow, allowSipHosts, can }: RuleOptions) {
  return {
    ...{ fallbackNumber: fallback, countryCode: country, trunkPrefix },
    // `--allow ""` is the default.
    allowedPrefixes: allow?.filter((prefix) => prefix !== ""),
    // `--allow-sip-hosts ""` allows none.
    allowedSipHosts: allowSipHosts?.filter((host) => host !== ""),
    capabilities: can,
  };
}
