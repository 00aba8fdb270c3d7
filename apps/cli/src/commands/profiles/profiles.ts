import type { Command } from "commander";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { GlobalOptions } from "../../options/global-options.js";
import type { Row } from "../../output/resource-row.js";
import { writeRows } from "../../output/write-rows.js";
import { PROFILE_COLUMNS, profileRow } from "../../profiles/profile-row.js";
import { findProfile, listProfileNames } from "../../profiles/profile-store.js";

/** Defines `profiles`, which lists the saved profiles. */
export function defineCommand(profiles: CliCommand): void {
  profiles.action(async (_options: unknown, command: Command) => {
    const list = { columns: PROFILE_COLUMNS, expendable: ["cert_key", "cert", "ca"], pages: readRows() };
    await writeRows(profiles.host, command.optsWithGlobals<GlobalOptions>(), list);
  });
  profiles.examples("calltrack profiles", "calltrack profiles --output json");
}

async function* readRows(): AsyncGenerator<Row[]> {
  const names = await listProfileNames();
  const found = await Promise.all(names.map(async (name) => [name, await findProfile(name)] as const));
  yield found.flatMap(([name, profile]) => (profile === undefined ? [] : [profileRow(name, profile)]));
}
