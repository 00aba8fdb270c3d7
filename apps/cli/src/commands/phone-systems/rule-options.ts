import {
  type PhoneSystemCapability,
  PhoneSystemCapabilitySchema,
} from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import { enumOption } from "../../options/enum-option.js";

/** The options for a phone system's rules about numbers and destinations. */
export interface RuleOptions {
  readonly fallback?: string;
  readonly country?: string;
  readonly trunkPrefix?: string;
  readonly allow?: readonly string[];
  readonly allowSipHosts?: readonly string[];
  readonly can?: PhoneSystemCapability[];
}

/** Adds the options, except `--fallback`, which only some commands require. */
export function addRuleOptions(command: CliCommand): CliCommand {
  return command
    .option("--country <digits>", "the country calling code of national numbers, such as 49")
    .option(
      "--trunk-prefix <digits>",
      "the prefix of national numbers, such as 0; numbers without it are international",
    )
    .option(
      "--allow <prefixes...>",
      "dial all numbers with these prefixes, such as +49 +43, and no others (default: the countries of its own numbers, without premium and shared-cost numbers)",
    )
    .option(
      "--allow-sip-hosts <hosts...>",
      "dial only those SIP URIs of call flows that have these hosts (default: none)",
    )
    .addOption(
      enumOption(
        "--can <capabilities...>",
        "the capabilities of the PBX; only for the kind sip",
        PhoneSystemCapabilitySchema,
      ),
    );
}

export function rulesOf({ fallback, country, trunkPrefix, allow, allowSipHosts, can }: RuleOptions) {
  return {
    ...{ fallbackNumber: fallback, countryCode: country, trunkPrefix },
    // `--allow ""` restores the default.
    allowedPrefixes: allow?.filter((prefix) => prefix !== ""),
    // `--allow-sip-hosts ""` allows none.
    allowedSipHosts: allowSipHosts?.filter((host) => host !== ""),
    capabilities: can,
  };
}
