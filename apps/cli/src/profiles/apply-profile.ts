import { resolve } from "node:path";
import type { Command } from "commander";
import type { GlobalOptions } from "../options/global-options.js";
import { UsageError } from "../process/usage-error.js";
import { DEFAULT_PROFILE, PROFILE_FILE_KEYS, type Profile } from "./profile.js";
import { findProfile } from "./profile-store.js";

/** Returns a command's options, completed from its profile. Throws UsageError if the selected profile does not exist. */
export async function resolveGlobalOptions(command: Command): Promise<GlobalOptions> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const name = selectProfileName(options);
  const profile = await findProfile(name);
  if (profile === undefined && options.profile) {
    throw new UsageError(`profile ${JSON.stringify(name)} not found: create it with calltrack login --profile ${name}`);
  }
  return profile === undefined ? options : applyProfile(command, profile);
}

export function selectProfileName({ profile }: Pick<GlobalOptions, "profile">): string {
  return profile || DEFAULT_PROFILE;
}

/**
 * Completes options from a profile. Options from the command line and the environment take precedence over the profile. If `--profile` selects the
 * profile, only options from the command line take precedence.
 *
 * If the user names another server, the profile is ignored, because its key must never be sent to another server. The profile's private key
 * belongs to the profile's certificate, so another certificate is used without it.
 */
export function applyProfile(command: Command, profile: Profile): GlobalOptions {
  const sourceOf = (name: string) => command.getOptionValueSourceWithGlobals(name);
  const stronger = sourceOf("profile") === "cli" ? ["cli"] : ["cli", "env"];
  const options = command.optsWithGlobals<GlobalOptions>();
  const isGiven = (name: keyof Profile) => stronger.includes(sourceOf(name) ?? "") && options[name] !== "";
  const isOtherServer = isGiven("server") && options.server !== profile.server;
  const isOtherCertificate = isGiven("cert") && resolve(options.cert ?? "") !== profile.cert;
  const settings: Record<string, string | undefined> = {};
  for (const name of Object.keys(PROFILE_FILE_KEYS) as (keyof Profile)[]) {
    const isForeign = isOtherServer || (name === "certKey" && isOtherCertificate);
    if (isGiven(name)) settings[name] = options[name];
    else settings[name] = isForeign ? undefined : profile[name];
  }
  // Error messages contain the server and the client certificate from the program's options.
  const program = programOf(command);
  program.setOptionValue("server", settings.server).setOptionValue("cert", settings.cert);
  return { ...options, ...settings };
}

function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}
