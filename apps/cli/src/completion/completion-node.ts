import type { Argument, Command, Option } from "commander";

/** What can be typed after one command of the tree. */
export interface CompletionNode {
  /** The names of the command and those above it, without the program's own; empty for the program. */
  readonly path: readonly string[];
  readonly commands: readonly CompletionWord[];
  readonly options: readonly CompletionOption[];
  /** What each positional argument can be, in order. */
  readonly arguments: readonly CompletionValue[];
}

/** A word that can be typed, and what it is for. */
export interface CompletionWord {
  readonly name: string;
  readonly description: string;
}

/** An option that can be typed, under each of its names. */
export interface CompletionOption {
  /** With their dashes. */
  readonly names: readonly string[];
  readonly description: string;
  /** What follows the option; undefined for a flag, which nothing follows. */
  readonly value: CompletionValue | undefined;
}

/** What a value can be: one of some choices, the name of a file, one that the server knows, or anything. */
export interface CompletionValue {
  readonly choices: readonly string[];
  readonly isFile: boolean;
  /** What the server is asked for; undefined if nothing. */
  readonly source?: CompletionSource | undefined;
}

/** A kind of values that the server knows. */
export type CompletionSource = "accounts" | "numbers" | "pools" | "trackers" | "keys";

/** The kinds by the names of the arguments that they are for. */
const SOURCES: Readonly<Record<string, CompletionSource>> = { account: "accounts", pool: "pools", tracker: "trackers" };

/** The kinds of the arguments that are called `id`, by the command. */
const ID_SOURCES: Readonly<Record<string, CompletionSource>> = { numbers: "numbers", keys: "keys" };

/** Reads a command tree into its nodes, the root first. */
export function listCompletionNodes(command: Command, path: readonly string[] = []): CompletionNode[] {
  const help = Object.assign(command.createHelp(), { showGlobalOptions: true });
  const commands = help.visibleCommands(command);
  const node: CompletionNode = {
    path,
    commands: commands.map((child) => ({ name: child.name(), description: child.description() })),
    options: [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map(completionOption),
    arguments: command.registeredArguments.map((argument) => ({
      ...completionValue(argument, argument.name()),
      source: argument.name() === "id" ? ID_SOURCES[path[0] ?? ""] : SOURCES[argument.name()],
    })),
  };
  return [node, ...commands.flatMap((child) => listCompletionNodes(child, [...path, child.name()]))];
}

function completionOption(option: Option): CompletionOption {
  return {
    names: [option.short, option.long].filter((name) => name != null),
    description: option.description,
    value: option.required ? completionValue(option, /<(\w+)>/.exec(option.flags)?.[1]) : undefined,
  };
}

/** In this program's help, what is called a file is one. */
function completionValue(
  { argChoices }: Pick<Argument | Option, "argChoices">,
  name: string | undefined,
): CompletionValue {
  return { choices: argChoices ?? [], isFile: name === "file" };
}
