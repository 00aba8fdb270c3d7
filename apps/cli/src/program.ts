import { Command } from "commander";
import { addExamples } from "./command-examples.js";
import { COMMANDS } from "./command-list.js";
import { addGlobalOptions } from "./global-options.js";
import type { Host } from "./host.js";
import { addLazyCommand, loadCommand } from "./lazy-command.js";
import { PROGRAM_VERSION } from "./program-version.js";

const exitCodesHelp = `
Exit codes:
  0  done
  1  refused by the service, at least in part
  2  wrong usage
  3  service not reachable
`;

const GLOBAL_OPTIONS_HELP = "\nGlobal options, such as --server, --key and --output: calltrack options";

/**
 * Builds the command tree. Parsing a command line with it runs the command; it throws commander's own error for wrong usage,
 * help and version, after these have been written, and whatever the command throws. The commands load when they are used.
 */
export function createProgram(host: Host): Command {
  const program = new Command("calltrack")
    .description("The command line of the call-tracking service: accounts, phone numbers and pools of call trackers.")
    .version(PROGRAM_VERSION)
    .exitOverride()
    .showSuggestionAfterError()
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
    })
    .hook("preSubcommand", (_program, command) => loadCommand(command));
  addGlobalOptions(program);
  for (const command of COMMANDS) addLazyCommand(program, host, command);
  program.addHelpText("after", exitCodesHelp.trimEnd());
  program.addHelpText("afterAll", ({ command }) => (command === program ? "" : GLOBAL_OPTIONS_HELP));
  addExamples(program, [
    "calltrack accounts create acme",
    "calltrack numbers add acme +12223334444",
    "calltrack pools list acme --output json",
    "calltrack pools import acme pools.csv --rejects refused.csv",
    "calltrack inventory import tracking-numbers.csv",
  ]);
  return program;
}
