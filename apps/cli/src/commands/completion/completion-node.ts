import type { Argument, Command, Option } from "commander";

/** The possible completions after one command. */
export interface CompletionNode {
  /** The names of the command and its parents without the program's name; empty for the program itself. */
  readonly path: readonly string[];
  readonly commands: readonly CompletionWord[];
  readonly options: readonly CompletionOption[];
  /** The values of each positional argument, in order. */
  readonly arguments: readonly CompletionValue[];
}

/** A word and its description. */
export interface CompletionWord {
  readonly name: string;
  readonly description: string;
}

/** An option with all its names. */
export interface CompletionOption {
  /** With dashes. */
  readonly names: readonly string[];
  readonly description: string;
  /** The option's value; undefined for a flag. */
  readonly value: CompletionValue | undefined;
}

/** The possible values of an argument: a list of choices, a file, a value from the server, or any text. */
export interface CompletionValue {
  readonly choices: readonly string[];
  readonly isFile: boolean;
  /** The kind of value to read from the server; undefined for none. */
  readonly source?: CompletionSource | undefined;
}

/** A kind of value that the server provides. */
export type CompletionSource = "accounts" | "numbers" | "pools" | "trackers" | "keys" | "phone-systems";

/** Maps argument names to kinds. */
const SOURCES: Readonly<Record<string, CompletionSource>> = { account: "accounts", pool: "pools", tracker: "trackers" };

/** Maps commands to the kind of their `id` argument. */
const ID_SOURCES: Readonly<Record<string, CompletionSource>> = {
  numbers: "numbers",
  keys: "keys",
  "phone-systems": "phone-systems",
};

/** Lists the nodes of a command tree, the root first. */
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

/** Lists the names of the options that take a value. */
export function valueOptionNames(nodes: readonly CompletionNode[]): string[] {
  const options = nodes.flatMap((node) => node.options);
  return [...new Set(options.filter(({ value }) => value).flatMap(({ names }) => names))];
}

function completionOption(option: Option): CompletionOption {
  return {
    names: [option.short, option.long].filter((name) => name != null),
    description: option.description,
    value: option.required ? completionValue(option, /<(\w+)>/.exec(option.flags)?.[1]) : undefined,
  };
}

/** An argument named `file` is a file path. */
function completionValue(
  { argChoices }: Pick<Argument | Option, "argChoices">,
  name: string | undefined,
): CompletionValue {
  return { choices: argChoices ?? [], isFile: name === "file" };
}
