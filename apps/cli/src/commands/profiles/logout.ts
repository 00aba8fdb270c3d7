import type { Command } from "commander";
import { addExamples } from "../../options/command-examples.js";
import type { GlobalOptions } from "../../options/global-options.js";
import type { Host } from "../../process/host.js";
import { UsageError } from "../../process/usage-error.js";
import { profileNameOf } from "../../profiles/apply-profile.js";
import { deleteProfile } from "../../profiles/profile-store.js";

/** Defines `logout`, which deletes a profile. */
export function defineLogout(logout: Command, host: Host): void {
  logout.action(async (_options: unknown, command: Command) => {
    const name = profileNameOf(command.optsWithGlobals<GlobalOptions>());
    if (!(await deleteProfile(name)))
      throw new UsageError(`profile ${JSON.stringify(name)} not found: run calltrack profiles for a list`);
    host.stderr.write(`Profile ${name} deleted.\n`);
  });
  addExamples(logout, ["calltrack logout", "calltrack logout --profile staging"]);
}
