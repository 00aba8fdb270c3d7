import type { Host } from "./host.js";
import { type Interrupt, listenForInterrupt } from "./interrupt.js";
import { runProgram } from "./run-program.js";

// A reader that closes the pipe, such as `head`, is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
// If nobody reads stderr, the command still completes.
process.stderr.on("error", () => {});

void main(listenForInterrupt());

/** Runs the command line of this process. */
async function main(interrupt: Interrupt): Promise<void> {
  process.exitCode = await runProgram(hostOf(interrupt), process.argv.slice(2));
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
