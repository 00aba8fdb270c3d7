import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addExamples } from "./command-examples.js";
import { addAccountsCommand } from "./commands/accounts.js";
import { addAuditCommand } from "./commands/audit.js";
import { addCallsCommand } from "./commands/calls.js";
import { addClockCommand } from "./commands/clock.js";
import { addCompletionCommand } from "./commands/completion.js";
import { addDniCommand } from "./commands/dni.js";
import { addInventoryCommand } from "./commands/inventory.js";
import { addKeysCommand } from "./commands/keys.js";
import { addLoginCommand } from "./commands/login.js";
import { addLogoutCommand } from "./commands/logout.js";
import { addNumbersCommand } from "./commands/numbers.js";
import { addPoolsCommand } from "./commands/pools.js";
import { addProfilesCommand } from "./commands/profiles.js";
import { addTrackersCommand } from "./commands/trackers.js";
import { addVisitsCommand } from "./commands/visits.js";
import { addGlobalOptions } from "./global-options.js";
import type { Host } from "./host.js";

const exitCodesHelp = `
Exit codes:
  0  done
  1  refused by the service, at least in part
  2  wrong usage
  3  service not reachable
`;

/**
 * Builds the command tree. Parsing a command line with it runs the command; it throws commander's own error for wrong usage,
 * help and version, after these have been written, and whatever the command throws.
 */
export function createProgram(host: Host): Command {
  const program = new Command("calltrack")
    .description("The command line of the call-tracking service: accounts, phone numbers and pools of call trackers.")
    .version(readVersion())
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
    });
  addGlobalOptions(program);
  addAccountsCommand(program, host);
  addNumbersCommand(program, host);
  addPoolsCommand(program, host);
  addTrackersCommand(program, host);
  addInventoryCommand(program, host);
  addVisitsCommand(program, host);
  addDniCommand(program, host);
  addCallsCommand(program, host);
  addClockCommand(program, host);
  addKeysCommand(program, host);
  addLoginCommand(program, host);
  addLogoutCommand(program, host);
  addProfilesCommand(program, host);
  addAuditCommand(program, host);
  addCompletionCommand(program, host);
  program.addHelpText("after", exitCodesHelp.trimEnd());
  addExamples(program, [
    "calltrack accounts create acme",
    "calltrack numbers add acme +12223334444",
    "calltrack pools list acme --output json",
    "calltrack pools import acme pools.csv --rejects refused.csv",
    "calltrack inventory import tracking-numbers.csv",
  ]);
  return program;
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return version;
}
