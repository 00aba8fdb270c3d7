import type { Command, CommandOptions } from "commander";
import type { CliCommand } from "../invocation/cli-command.js";

interface CommandModule {
  /** Adds either subcommands to the command, or arguments, options and an action. */
  readonly defineCommand: (command: CliCommand) => void;
}

/** A command whose module is loaded on first use, because loading all modules would take most of the startup time. */
export type LazyCommand = readonly [
  name: string,
  description: string,
  load: () => Promise<CommandModule>,
  options?: CommandOptions,
];

const pending = new WeakMap<Command, () => Promise<void>>();

/** Adds a command that is loaded when a command line names it. */
export function addLazyCommand(program: CliCommand, [name, description, load, options]: LazyCommand): void {
  const command = program.command(name, options).description(description);
  pending.set(command, async () => (await load()).defineCommand(command));
}

/** Loads a command that {@link addLazyCommand} added. Does nothing for other commands, or if the command is already loaded. */
export async function loadCommand(command: Command): Promise<void> {
  const load = pending.get(command);
  pending.delete(command);
  await load?.();
}
