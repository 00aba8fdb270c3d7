import { describeFailure } from "./failure.js";
import type { GlobalOptions } from "./global-options.js";
import { listenForInterrupt } from "./interrupt.js";
import { createProgram } from "./program.js";

const interrupt = listenForInterrupt();

// A reader that has seen enough, such as `head`, closes the pipe: that is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
// What nobody reads on stderr is no reason to leave work half done.
process.stderr.on("error", () => {});

const { stdin, stdout, stderr } = process;
const program = createProgram({ stdin, stdout, stderr, interrupt });
try {
  await program.parseAsync();
} catch (error) {
  const failure = describeFailure(error, { interrupt, ...program.opts<GlobalOptions>() });
  process.stderr.write(failure.text);
  process.exitCode = failure.exitCode;
}
