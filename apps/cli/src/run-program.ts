import { CommanderError } from "commander";
import type { GlobalOptions } from "./options/global-options.js";
import { ExitCode } from "./process/exit-code.js";
import type { Host } from "./process/host.js";
import { createProgram } from "./program.js";

/**
 * Runs a command line and returns the exit code of its process. Writes the message of an error to stderr.
 *
 * @param args the words after the program's name.
 */
export async function runProgram(host: Host, args: readonly string[]): Promise<ExitCode> {
  const program = createProgram(host);
  try {
    await program.parseAsync(args, { from: "user" });
    return ExitCode.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.wrongUsage;
    const { describeFailure } = await import("./failure.js");
    const failure = describeFailure(error, { interrupt: host.interrupt, ...program.opts<GlobalOptions>() });
    host.stderr.write(failure.text);
    return failure.exitCode;
  }
}
