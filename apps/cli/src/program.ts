import { CommanderError } from "commander";
import { TOP_LEVEL_COMMANDS } from "./commands/command-list.js";
import { addLazyCommand, loadCommand } from "./commands/lazy-command.js";
import { CliCommand } from "./invocation/cli-command.js";
import { addGlobalOptions, type GlobalOptions } from "./options/global-options.js";
import type { CommandHost } from "./process/command-host.js";
import { ExitCode } from "./process/exit-code.js";
import { PROGRAM_VERSION } from "./program-version.js";

const exitCodesHelp = `
Exit codes:
  0  success
  1  the service rejected the request or a part of it, or the output cannot be written
  2  invalid usage
  3  service unreachable
`;

const GLOBAL_OPTIONS_HELP = "\nGlobal options, such as --server and --key: calltrack options";

/**
 * Runs a command line and returns the exit code for the process. Writes error messages to stderr.
 *
 * @param args the words after the program's name.
 */
export async function runProgram(host: CommandHost, args: readonly string[]): Promise<ExitCode> {
  const program = createProgram(host);
  try {
    await program.parseAsync(args, { from: "user" });
    return ExitCode.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.wrongUsage;
    const { describeCommandFailure } = await import("./failure.js");
    const failure = describeCommandFailure(error, { interrupt: host.interrupt, ...program.opts<GlobalOptions>() });
    host.stderr.write(failure.text);
    return failure.exitCode;
  }
}

/**
 * Builds the command tree. `parseAsync` loads and runs a command, and throws the command's errors. For invalid usage, `--help` and `--version`,
 * `parseAsync` prints the error or the requested text and then throws a CommanderError.
 */
export function createProgram(host: CommandHost): CliCommand {
  const program = new CliCommand(host, "calltrack")
    .description("Manage Calltrack: accounts, phone numbers, pools, calls and events.")
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
  for (const command of TOP_LEVEL_COMMANDS) addLazyCommand(program, command);
  program.addHelpText("after", exitCodesHelp.trimEnd());
  program.addHelpText("afterAll", ({ command }) => (command === program ? "" : GLOBAL_OPTIONS_HELP));
  program.examples(
    "calltrack accounts create acme",
    "calltrack numbers add acme +12223334444",
    "calltrack pools list acme --output json",
    "calltrack pools import acme pools.csv --rejects rejected.csv",
    "calltrack inventory import tracking-numbers.csv",
  );
  return program;
}
