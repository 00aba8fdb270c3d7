import type { Command, CommandOptions } from "commander";
import type { CliCommand } from "../invocation/cli-command.js";

/** The module of a command. */
interface CommandModule {
  /** Adds subcommands to the command, or arguments, options and an action. */
  readonly defineCommand: (command: CliCommand) => void;
}

/** A command that loads its module on first use. Most of the startup time goes into modules that only the actions need. */
export type LazyCommand = readonly [
  name: string,
  description: string,
  load: () => Promise<CommandModule>,
  options?: CommandOptions,
];

/** Commands that are not loaded yet. */
const pending = new WeakMap<Command, () => Promise<void>>();

/** Adds a command that is loaded when a command line names it. */
export function addLazyCommand(program: CliCommand, [name, description, load, options]: LazyCommand): void {
  const command = program.command(name, options).description(description);
  pending.set(command, async () => (await load()).defineCommand(command));
}

/** Loads a command added by {@link addLazyCommand}. Does nothing for other commands or if it is already loaded. */
export async function loadCommand(command: Command): Promise<void> {
  const load = pending.get(command);
  pending.delete(command);
  await load?.();
}
