// Runs the benchmarks of the servers, or those of transcoding alone: see README.md. Whatever happens, it ends every process that it started.
import { parseArgs } from "node:util";
import { type Effort, runBenchmarks } from "./benchmarks.ts";
import { runTranscodingBenchmark } from "./transcoding/transcoding.ts";

const FULL: Effort = { rounds: 7, roundSeconds: 8, warmUpSeconds: 8, writesResults: true };
/** Tells in a minute whether everything works and about where the figures are. */
const QUICK: Effort = { rounds: 3, roundSeconds: 2, warmUpSeconds: 3, writesResults: false };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false } },
});

const resources = new AsyncDisposableStack();
let interruptedBy: NodeJS.Signals | undefined;
const interrupted = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      interruptedBy ??= signal;
      resolve();
    });
  }
});

try {
  const finished =
    positionals[0] === "transcoding"
      ? runTranscodingBenchmark(values.quick)
      : runBenchmarks(resources, values.quick ? QUICK : FULL);
  // A run that was interrupted fails as well, when its processes end; that is no news.
  finished.catch(() => {});
  await Promise.race([finished, interrupted]);
} catch (error) {
  if (interruptedBy === undefined) {
    console.error(error);
    process.exitCode = 1;
  }
} finally {
  await resources.disposeAsync();
}
process.exit(interruptedBy === undefined ? process.exitCode : 130);
