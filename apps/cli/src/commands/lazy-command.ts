import type { Command } from "commander";
import type { CliCommand } from "../invocation/cli-command.js";

/** Adds subcommands to a command, or arguments, options and an action. */
type DefineCommand = (command: CliCommand) => void;

/** A command that loads only its name and description at startup. */
export interface LazyCommand {
  readonly name: string;
  readonly description: string;
  /** Whether help and completion omit it. */
  readonly hidden?: boolean;
  /** Imports the rest. Most of the startup time goes into modules that only the actions need. */
  readonly load: () => Promise<DefineCommand>;
}

/** Commands that are not loaded yet. */
const pending = new WeakMap<Command, () => Promise<void>>();

/** Adds a command that is loaded when a command line names it. */
export function addLazyCommand(program: CliCommand, { name, description, hidden = false, load }: LazyCommand): void {
  const command = program.command(name, { hidden }).description(description);
  pending.set(command, async () => (await load())(command));
}

/** Loads a command added by {@link addLazyCommand}. Does nothing for other commands or if it is already loaded. */
export async function loadCommand(command: Command): Promise<void> {
  const load = pending.get(command);
  pending.delete(command);
  await load?.();
}
