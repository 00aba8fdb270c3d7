import type { Argument, Command, Option } from "commander";
import type { CliCommand } from "../../invocation/cli-command.js";
import { loadCommand } from "../lazy-command.js";
import type { CompletionValueKind } from "./completion-values.js";

/** The kind of the values that complete an argument, keyed by the argument's name. */
const KINDS: Readonly<Record<string, CompletionValueKind>> = {
  account: "accounts",
  pool: "pools",
  tracker: "trackers",
  delivery: "deliveries",
};

/** The commands whose argument `id` is completed with values of the kind that has the command's name. */
const ID_KINDS: readonly CompletionValueKind[] = ["numbers", "keys", "phone-systems", "webhook-endpoints"];

/** Names the account in commands that have no account argument. */
const ACCOUNT_OPTION = "--account";

/** Printed instead of words if the shell should complete the path of a file. */
const FILES = ":files";

/**
 * Defines `__complete`, which completion scripts call with the words of a command line up to the cursor. It prints the possible last words,
 * each followed by a tab and its description if it has one.
 */
export function defineCommand(complete: CliCommand): void {
  complete.argument("[words...]").action(async (words: readonly string[]) => {
    const current = words.at(-1) ?? "";
    const lines = await listLines(complete, words.slice(0, -1), current);
    const fitting = lines.filter((line) => line === FILES || line.startsWith(current));
    complete.host.stdout.write(fitting.map((line) => `${line}\n`).join(""));
  });
}

type ListServerValues = (kind: CompletionValueKind, args: readonly string[]) => Promise<readonly string[]>;

/** Returns all lines that could be printed, including those that do not begin with `current`. */
async function listLines(complete: CliCommand, split: readonly string[], current: string): Promise<readonly string[]> {
  const words = joinBashWords(split);
  const { command, args, option, account } = await findPlace(complete.parent ?? complete, words);
  const listServerValues: ListServerValues = async (kind, preceding) => {
    // Sets the program's options, which may include the server, from the command line.
    complete.parent?.parseOptions([...words]);
    const { readCompletionValues } = await import("./completion-values.js");
    return await readCompletionValues(complete, kind, preceding);
  };
  if (option !== undefined) return await listOptionValues(listServerValues, option);
  const [prefix = "", name] = /^(--[\w-]+)=/.exec(current) ?? [];
  if (name !== undefined) {
    const values = await listOptionValues(listServerValues, findValueOption(command, name));
    return values.map((value) => (value === FILES ? value : prefix + value));
  }
  if (current.startsWith("-")) return listOptions(command).flatMap(optionLines);
  const argument = command.registeredArguments[args.length];
  if (argument !== undefined) {
    const accounts = findValueOption(command, ACCOUNT_OPTION) === undefined ? [] : [account];
    return await listArgumentValues(listServerValues, command, [...accounts, ...args], argument);
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
  // After a trailing separator, the current word is the option's value.
  return isOpen ? [...words.slice(0, -1), (words.at(-1) ?? "").replace(/[=:]$/, "")] : words;
}

/**
 * Parses a command line. Returns the command, the arguments so far, the option whose value comes next, and the value of {@link ACCOUNT_OPTION}.
 *
 * The option is undefined if no option expects a value, and the account is an empty string if the command line names none.
 */
async function findPlace(program: Command, words: readonly string[]) {
  let command = program;
  let option: Option | undefined;
  let account = "";
  const args: string[] = [];
  for (const word of words) {
    const child = args.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
    if (word.startsWith(`${ACCOUNT_OPTION}=`)) account = word.slice(ACCOUNT_OPTION.length + 1);
    if (option !== undefined) {
      if (option.long === ACCOUNT_OPTION) account = word;
      option = undefined;
    } else if (word.startsWith("-")) option = findValueOption(command, word);
    else if (child === undefined) args.push(word);
    else {
      await loadCommand(child);
      command = child;
    }
  }
  return { command, args, option, account };
}

function listOptions(command: Command): Option[] {
  const help = Object.assign(command.createHelp(), { showGlobalOptions: true });
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

/** Returns the option with this name; undefined if there is none, or if the option takes no value. */
function findValueOption(command: Command, name: string): Option | undefined {
  return listOptions(command).find((option) => option.required && [option.short, option.long].includes(name));
}

function optionLines({ short, long, description }: Option): string[] {
  return [short, long].filter((name) => name != null).map((name) => `${name}\t${description}`);
}

async function listArgumentValues(
  listServerValues: ListServerValues,
  command: Command,
  args: readonly string[],
  argument: Argument,
) {
  const name = argument.name();
  const kind = name === "id" ? ID_KINDS.find((each) => each === command.parent?.name()) : KINDS[name];
  return kind === undefined ? listValues(argument) : await listServerValues(kind, args);
}

async function listOptionValues(listServerValues: ListServerValues, option: Option | undefined) {
  return option?.long === ACCOUNT_OPTION ? await listServerValues("accounts", []) : listValues(option);
}

/** Lists the choices of an argument or option. Returns {@link FILES} if the value is named `file`, so that the shell completes a path. */
function listValues(value: Argument | Option | undefined): readonly string[] {
  const name = value !== undefined && "flags" in value ? /<(\w+)>/.exec(value.flags)?.[1] : value?.name();
  return name === "file" ? [FILES] : (value?.argChoices ?? []);
}
