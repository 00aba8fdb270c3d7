import type { Command } from "commander";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { GlobalOptions } from "../../options/global-options.js";
import type { OutputRow } from "../../output/output-row.js";
import { writeRows } from "../../output/write-rows.js";
import { UsageError } from "../../process/usage-error.js";
import { createProfileRow, PROFILE_COLUMNS } from "../../profiles/profile-row.js";
import { findProfile, listProfileNames } from "../../profiles/profile-store.js";

/** Defines `profiles`, which lists the saved profiles. If a profile cannot be read, the command fails after it has listed the others. */
export function defineCommand(profiles: CliCommand): void {
  profiles.action(async (_options: unknown, command: Command) => {
    const problems: string[] = [];
    const list = { columns: PROFILE_COLUMNS, expendable: ["cert_key", "cert", "ca"], pages: readRows(problems) };
    await writeRows(profiles.host, command.optsWithGlobals<GlobalOptions>(), list);
    if (problems.length > 0) throw new UsageError(problems.join("; "));
  });
  profiles.examples("calltrack profiles", "calltrack profiles --output json");
}

/** For each profile that cannot be read, adds an error message to `problems`. */
async function* readRows(problems: string[]): AsyncGenerator<OutputRow[]> {
  const rows: OutputRow[] = [];
  for (const name of await listProfileNames()) {
    try {
      const profile = await findProfile(name);
      if (profile !== undefined) rows.push(createProfileRow(name, profile));
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  yield rows;
}
