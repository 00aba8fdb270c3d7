import type { Argument, Command, Option } from "commander";
import type { CliCommand } from "../../invocation/cli-command.js";
import { loadCommand } from "../lazy-command.js";
import type { ValueKind } from "./server-values.js";

/** Maps argument names to kinds. */
const KINDS: Readonly<Record<string, ValueKind>> = { account: "accounts", pool: "pools", tracker: "trackers" };

/** The commands whose `id` argument is a value of the kind of the same name. */
const ID_KINDS: readonly ValueKind[] = ["numbers", "keys", "phone-systems"];

/** Printed instead of words if the shell should complete the path of a file. */
const FILES = ":files";

/**
 * Defines `__complete`, which completion scripts call with the words of a command line up to the cursor. Prints the possible
 * last words, each with a tab and its description if it has one.
 */
export function defineCommand(complete: CliCommand): void {
  complete.argument("[words...]").action(async (words: readonly string[]) => {
    const current = words.at(-1) ?? "";
    const lines = await listLines(complete, words.slice(0, -1), current);
    const fitting = lines.filter((line) => line === FILES || line.startsWith(current));
    complete.host.stdout.write(fitting.map((line) => `${line}\n`).join(""));
  });
}

/** Lists the lines to print, which need not fit the current word. */
async function listLines(complete: CliCommand, split: readonly string[], current: string): Promise<readonly string[]> {
  const words = joinBashWords(split);
  const { command, args, option } = await findPlace(complete.parent ?? complete, words);
  if (option !== undefined) return listValues(option);
  const [prefix = "", name] = /^(--[\w-]+)=/.exec(current) ?? [];
  if (name !== undefined)
    return listValues(findValueOption(command, name)).map((value) => (value === FILES ? value : prefix + value));
  if (current.startsWith("-")) return listOptions(command).flatMap(optionLines);
  const argument = command.registeredArguments[args.length];
  if (argument !== undefined) {
    // The ids come from the server that the command line names.
    complete.parent?.parseOptions([...words]);
    return await listArgumentValues(complete, command, args, argument);
  }
  const commands = args.length === 0 ? command.createHelp().visibleCommands(command) : [];
  return commands.map((child) => `${child.name()}\t${child.description()}`);
}

/** Joins the words of `--option=value` and `http://host:80`, which bash splits at `=` and `:`. */
function joinBashWords(split: readonly string[]): readonly string[] {
  const words: string[] = [];
  let isOpen = false;
  for (const word of split) {
    const isSeparator = word === "=" || word === ":";
    if ((isOpen || isSeparator) && words.length > 0) words.push(`${words.pop()}${word}`);
    else words.push(word);
    isOpen = isSeparator;
  }
  // The value of the option is the current word.
  return isOpen ? [...words.slice(0, -1), (words.at(-1) ?? "").replace(/[=:]$/, "")] : words;
}

/** Returns the command of a command line, its arguments so far, and the option whose value comes next. */
async function findPlace(program: Command, words: readonly string[]) {
  let command = program;
  let option: Option | undefined;
  const args: string[] = [];
  for (const word of words) {
    const child = args.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
    if (option !== undefined) option = undefined;
    else if (word.startsWith("-")) option = findValueOption(command, word);
    else if (child === undefined) args.push(word);
    else {
      await loadCommand(child);
      command = child;
    }
  }
  return { command, args, option };
}

function listOptions(command: Command): Option[] {
  const help = Object.assign(command.createHelp(), { showGlobalOptions: true });
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

/** Finds the option with a name; undefined if it takes no value. */
function findValueOption(command: Command, name: string): Option | undefined {
  return listOptions(command).find((option) => option.required && [option.short, option.long].includes(name));
}

function optionLines({ short, long, description }: Option): string[] {
  return [short, long].filter((name) => name != null).map((name) => `${name}\t${description}`);
}

async function listArgumentValues(complete: CliCommand, command: Command, args: readonly string[], argument: Argument) {
  const name = argument.name();
  const kind = name === "id" ? ID_KINDS.find((each) => each === command.parent?.name()) : KINDS[name];
  if (kind === undefined) return listValues(argument);
  const { readServerValues } = await import("./server-values.js");
  return await readServerValues(complete, kind, args);
}

/** Lists the choices of an argument or option. One that is named `file` is a file path. */
function listValues(value: Argument | Option | undefined): readonly string[] {
  const name = value !== undefined && "flags" in value ? /<(\w+)>/.exec(value.flags)?.[1] : value?.name();
  return name === "file" ? [FILES] : (value?.argChoices ?? []);
}
