import type { Command } from "commander";
import type { Host } from "./host.js";

/** Gives a command its subcommands, or its arguments, options and action. */
export type DefineCommand = (command: Command, host: Host) => void;

/** A command of the program, of which only its name and description are loaded at the start. */
export interface LazyCommand {
  readonly name: string;
  readonly description: string;
  /** Whether no help and no completion shows it. */
  readonly hidden?: boolean;
  /** Imports the rest: most of a command's start-up time is in the modules that its actions need. */
  readonly load: () => Promise<DefineCommand>;
}

/** What is still to be loaded, by command. */
const pending = new WeakMap<Command, () => Promise<void>>();

/** Adds a command that is loaded when a command line names it. */
export function addLazyCommand(
  program: Command,
  host: Host,
  { name, description, hidden = false, load }: LazyCommand,
): void {
  const command = program.command(name, { hidden }).description(description);
  pending.set(command, async () => (await load())(command, host));
}

/** Completes a command added by {@link addLazyCommand}; does nothing for any other, or a second time. */
export async function loadCommand(command: Command): Promise<void> {
  const load = pending.get(command);
  pending.delete(command);
  await load?.();
}

/** Completes all commands of a program. */
export async function loadAllCommands(program: Command): Promise<void> {
  await Promise.all(program.commands.map(loadCommand));
}
