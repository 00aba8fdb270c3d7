import { createWriteStream, fstatSync } from "node:fs";
import type { CommandHost } from "./process/command-host.js";
import { ExitCode } from "./process/exit-code.js";
import { type InterruptedError, type InterruptSignals, listenForInterrupt } from "./process/interrupt.js";
import { runProgram } from "./program.js";
import { formatFileError } from "./text/format-file-error.js";

/** The file descriptor of standard output. */
const STDOUT = 1;

/** The beginning of the names of the program's environment variables. */
const VARIABLE_PREFIX = "CALLTRACK_";

/** Time for a command to print its results after its requests were canceled. */
const MAX_CLEANUP_MS = 1000;

const stdout = openStdout();
stdout.on("error", exitUnwritten);
// If nobody reads stderr, the command still completes.
process.stderr.on("error", () => {});

unsetEmptyVariables();
void main(listenForInterrupt());

async function main(interrupt: InterruptSignals): Promise<void> {
  process.exitCode = await Promise.race([
    runProgram(hostOf(interrupt), process.argv.slice(2)),
    ignoredInterrupt(interrupt),
  ]);
  // Exits explicitly after an interrupt: Node.js cannot cancel a read from a named pipe, and such a read would keep the process alive.
  if (interrupt.stop.aborted) stdout.write("", () => process.exit());
}

/** Makes empty variables count as unset, because Compose files and CI systems pass unset variables as empty ones. */
function unsetEmptyVariables(): void {
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith(VARIABLE_PREFIX) && value === "") delete process.env[name];
}

/** Resolves to the exit code if the command does not end after its requests were canceled, for example because it opens a named pipe. */
function ignoredInterrupt({ drop }: InterruptSignals): Promise<ExitCode> {
  return new Promise((resolve) => {
    const give = () => {
      process.stderr.write("error: interrupted\n");
      resolve((drop.reason as InterruptedError).exitCode);
    };
    drop.addEventListener("abort", () => setTimeout(give, MAX_CLEANUP_MS).unref());
  });
}

/**
 * Returns the streams of this process and its interrupt as the host of a command. Opens standard input on first use, because opening takes time and
 * few commands read from it.
 */
function hostOf(interrupt: InterruptSignals): CommandHost {
  const { stderr } = process;
  return {
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    interrupt,
  };
}

/** Opens standard output. Avoids `process.stdout` for files: if a write fills the disk, `process.stdout` loses the rest of the write. */
function openStdout(): CommandHost["stdout"] {
  return fstatSync(STDOUT).isFile() ? createWriteStream("", { fd: STDOUT }) : process.stdout;
}

/** Ends the process after an error on standard output. The exit code is 0 if a reader, such as `head`, has closed the pipe. */
function exitUnwritten(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit(ExitCode.done);
  process.stderr.write(`error: the output cannot be written: ${formatFileError(error)}\n`);
  process.exit(ExitCode.refused);
}
