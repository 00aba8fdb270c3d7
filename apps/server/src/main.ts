import { createStopSignal } from "./stop-signal.js";

// Created before other modules are loaded, because process 1 of a container ignores signals that have no listener.
const stop = createStopSignal();
const { runCommand } = await import("./run-command.js");
await runCommand(process.argv.slice(2), stop);
