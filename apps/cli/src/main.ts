import { CommanderError } from "commander";
import { ExitCode } from "./exit-code.js";
import type { GlobalOptions } from "./global-options.js";
import type { Host } from "./host.js";
import { type Interrupt, listenForInterrupt } from "./interrupt.js";
import { createProgram } from "./program.js";

export { startup } from "./startup.js";

// A reader that closes the pipe, such as `head`, is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
// If nobody reads stderr, the command still completes.
process.stderr.on("error", () => {});

void main(listenForInterrupt());

/** Runs the command line of this process. */
async function main(interrupt: Interrupt): Promise<void> {
  const program = createProgram(hostOf(interrupt));
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? ExitCode.done : ExitCode.wrongUsage;
      return;
    }
    const { describeFailure } = await import("./failure.js");
    const failure = describeFailure(error, { interrupt, ...program.opts<GlobalOptions>() });
    process.stderr.write(failure.text);
    process.exitCode = failure.exitCode;
  }
}

/** Opens standard input on first use: opening takes time, and few commands read it. */
function hostOf(interrupt: Interrupt): Host {
  const { stdout, stderr } = process;
  return {
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    interrupt,
  };
}
