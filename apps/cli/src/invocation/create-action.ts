import type { Command } from "commander";
import { runWatching, type WatchOption } from "../options/watch.js";
import type { OutputFormatName } from "../output/output-options.js";
import type { Host } from "../process/host.js";
import { readOptions } from "../profiles/apply-profile.js";
import { Invocation } from "./invocation.js";

/**
 * Creates the action of a command. `run` gets an invocation, then the command's arguments in order, then its options.
 * Errors propagate through commander's `parseAsync`.
 *
 * @param output the default output format, if not a table.
 */
export function createAction<Inputs extends unknown[]>(
  host: Host,
  run: (invocation: Invocation, ...inputs: Inputs) => Promise<void>,
  output?: OutputFormatName,
): (...received: [...Inputs, Command]) => Promise<void> {
  return async (...received) => {
    const command = received.at(-1) as Command;
    const options = await readOptions(command);
    const isDefault = command.getOptionValueSourceWithGlobals("output") === "default";
    const format = (isDefault && output) || options.output;
    // Expressions apply to the documented JSON.
    const isQueried = options.query !== undefined && format !== "yaml";
    const invocation = new Invocation(host, {
      ...options,
      output: isQueried ? "json" : format,
      pager: options.pager && command.opts<WatchOption>().watch === undefined,
    });
    const runOnce = () => run(invocation, ...(received.slice(0, -1) as Inputs));
    const { watch } = command.opts<WatchOption>();
    try {
      await (watch === undefined ? runOnce() : runWatching(host, watch, runOnce));
    } finally {
      invocation.close();
    }
  };
}
