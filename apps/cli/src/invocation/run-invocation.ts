import type { Command } from "commander";
import { runRepeatedly, type WatchOption } from "../options/watch.js";
import type { OutputFormatName } from "../output/output-options.js";
import type { CommandHost } from "../process/command-host.js";
import { resolveGlobalOptions } from "../profiles/apply-profile.js";
import { Invocation } from "./invocation.js";

/**
 * Runs a command with its options: once or, with `--watch`, repeatedly until Ctrl-C.
 *
 * @param output the default output format; by default a table.
 */
export async function runInvocation(
  host: CommandHost,
  command: Command,
  run: (invocation: Invocation) => Promise<void>,
  output?: OutputFormatName,
): Promise<void> {
  const { watch } = command.opts<WatchOption>();
  const options = await resolveGlobalOptions(command);
  const isDefault = command.getOptionValueSourceWithGlobals("output") === "default";
  const format = (isDefault && output) || options.output;
  // The result of a `--query` expression is JSON, unless the user requests YAML.
  const isQueried = options.query !== undefined && format !== "yaml";
  const invocation = new Invocation(host, {
    ...options,
    output: isQueried ? "json" : format,
    pager: options.pager && watch === undefined,
  });
  try {
    await (watch === undefined ? run(invocation) : runRepeatedly(host, watch, () => run(invocation)));
  } finally {
    invocation.close();
  }
}
