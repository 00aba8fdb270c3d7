import type { Command } from "commander";
import type { GlobalOptions } from "../global-options.js";
import { UsageError } from "../usage-error.js";
import { DEFAULT_PROFILE, PROFILE_FIELDS, type Profile } from "./profile.js";
import { findProfile } from "./profile-store.js";

/** The options of a command with what its profile adds to them. Throws a UsageError where one is named that is not there. */
export async function readOptions(command: Command): Promise<GlobalOptions> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const name = profileNameOf(options);
  const profile = await findProfile(name);
  if (profile === undefined && options.profile) {
    throw new UsageError(`there is no profile ${JSON.stringify(name)}: calltrack login --profile ${name} makes it`);
  }
  return profile === undefined ? options : applyProfile(command, profile);
}

/** The name of the profile that a command is about. */
export function profileNameOf({ profile }: Pick<GlobalOptions, "profile">): string {
  return profile || DEFAULT_PROFILE;
}

/**
 * Puts a profile behind the options that the user gave, and behind those that the environment gave, unless the profile itself was
 * named by an option. What it has beside the server is for its own server only: a key goes to no other.
 */
export function applyProfile(command: Command, profile: Profile): GlobalOptions {
  const sourceOf = (name: string) => command.getOptionValueSourceWithGlobals(name);
  const stronger = sourceOf("profile") === "cli" ? ["cli"] : ["cli", "env"];
  const options = command.optsWithGlobals<GlobalOptions>();
  const isGiven = (name: keyof Profile) => stronger.includes(sourceOf(name) ?? "") && options[name] !== "";
  const isElsewhere = isGiven("server") && options.server !== profile.server;
  const settings: Record<string, string | undefined> = {};
  for (const name of Object.keys(PROFILE_FIELDS) as (keyof Profile)[]) {
    if (isGiven(name)) settings[name] = options[name];
    else settings[name] = isElsewhere ? undefined : profile[name];
  }
  // A failure is told with the options of the program.
  const program = programOf(command);
  program.setOptionValue("server", settings.server).setOptionValue("cert", settings.cert);
  return { ...options, ...settings };
}

function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}
