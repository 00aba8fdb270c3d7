import { createStopSignal } from "./stop-signal.js";

// Before all other modules are loaded: process 1 of a container ignores signals that have no listener.
const stop = createStopSignal();
const { runCommand } = await import("./run-command.js");
await runCommand(process.argv.slice(2), stop);
