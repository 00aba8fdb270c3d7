import {
  type PhoneSystemCapability,
  PhoneSystemCapabilitySchema,
} from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { DefaultDescriber } from "../../options/describe-default.js";
import { createEnumOption } from "../../options/enum-option.js";

export interface PhoneSystemSettingOptions {
  readonly fallback?: string;
  readonly country?: string;
  readonly trunkPrefix?: string;
  readonly allow?: readonly string[];
  readonly allowSipHosts?: readonly string[];
  readonly can?: PhoneSystemCapability[];
}

/** Adds all options except `--fallback`, which some commands require and others do not. */
export function addPhoneSystemSettingOptions(command: CliCommand, describe: DefaultDescriber): CliCommand {
  return command
    .option("--country <digits>", "the country calling code of national numbers, such as 49")
    .option(
      "--trunk-prefix <digits>",
      "the prefix of national numbers, such as 0; numbers without this prefix count as international",
    )
    .option(
      "--allow <prefixes...>",
      describe(
        "dial all numbers that begin with these prefixes, such as +49 +43, and no others",
        "numbers in the countries of the phone system's own numbers, except premium and shared-cost numbers",
      ),
    )
    .option(
      "--allow-sip-hosts <hosts...>",
      describe("dial SIP URIs in call flows only if they have one of these hosts", "dial no SIP URIs"),
    )
    .addOption(
      createEnumOption(
        "--can <capabilities...>",
        "the capabilities of the PBX; only for the kind sip",
        PhoneSystemCapabilitySchema,
      ),
    );
}

export function createPhoneSystemSettings({
  fallback,
  country,
  trunkPrefix,
  allow,
  allowSipHosts,
  can,
}: PhoneSystemSettingOptions) {
  return {
    ...{ fallbackNumber: fallback, countryCode: country, trunkPrefix },
    // `--allow ""` becomes an empty list, which restores the default.
    allowedPrefixes: allow?.filter((prefix) => prefix !== ""),
    // `--allow-sip-hosts ""` becomes an empty list, which allows no hosts.
    allowedSipHosts: allowSipHosts?.filter((host) => host !== ""),
    capabilities: can,
  };
}
