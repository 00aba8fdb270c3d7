import { CommanderError } from "commander";
import { ExitCode } from "./exit-code.js";
import type { GlobalOptions } from "./global-options.js";
import type { Host } from "./host.js";
import { type Interrupt, listenForInterrupt } from "./interrupt.js";
import { createProgram } from "./program.js";

// A reader that has seen enough, such as `head`, closes the pipe: that is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
// What nobody reads on stderr is no reason to leave work half done.
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

/** Standard input takes a while to open, and few commands read it. */
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
