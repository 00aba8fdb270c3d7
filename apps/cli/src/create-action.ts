import type { Command } from "commander";
import type { GlobalOptions } from "./global-options.js";
import type { Host } from "./host.js";
import { Invocation } from "./invocation.js";

/**
 * The action of a command: `run` gets an invocation, then the command's arguments in order, then its options. Whatever it
 * throws leaves through commander's `parseAsync`.
 */
export function createAction<Inputs extends unknown[]>(
  host: Host,
  run: (invocation: Invocation, ...inputs: Inputs) => Promise<void>,
): (...received: [...Inputs, Command]) => Promise<void> {
  return async (...received) => {
    const command = received.at(-1) as Command;
    const invocation = new Invocation(host, command.optsWithGlobals<GlobalOptions>());
    try {
      await run(invocation, ...(received.slice(0, -1) as Inputs));
    } finally {
      invocation.close();
    }
  };
}
