import type { Command } from "commander";
import { addExamples } from "../command-examples.js";
import type { GlobalOptions } from "../global-options.js";
import type { Host } from "../host.js";
import { profileNameOf } from "../profiles/apply-profile.js";
import { forgetProfile } from "../profiles/profile-store.js";
import { UsageError } from "../usage-error.js";

/** Gives `logout` its action. */
export function defineLogout(logout: Command, host: Host): void {
  logout.action(async (_options: unknown, command: Command) => {
    const name = profileNameOf(command.optsWithGlobals<GlobalOptions>());
    if (!(await forgetProfile(name))) throw new UsageError(`there is no profile ${JSON.stringify(name)}`);
    host.stderr.write(`The profile ${name} is forgotten.\n`);
  });
  addExamples(logout, ["calltrack logout", "calltrack logout --profile staging"]);
}
