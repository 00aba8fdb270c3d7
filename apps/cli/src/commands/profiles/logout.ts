import type { Command } from "commander";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { GlobalOptions } from "../../options/global-options.js";
import { UsageError } from "../../process/usage-error.js";
import { selectProfileName } from "../../profiles/apply-profile.js";
import { deleteProfile } from "../../profiles/profile-store.js";

/** Defines `logout`, which deletes a profile. */
export function defineCommand(logout: CliCommand): void {
  logout.action(async (_options: unknown, command: Command) => {
    const name = selectProfileName(command.optsWithGlobals<GlobalOptions>());
    if (!(await deleteProfile(name)))
      throw new UsageError(`profile ${JSON.stringify(name)} not found: run calltrack profiles for a list`);
    logout.host.stderr.write(`Profile ${name} deleted.\n`);
  });
  logout.examples("calltrack logout", "calltrack logout --profile staging");
}
