import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { loadCommand } from "./commands/lazy-command.js";
import {
  parseExpiryOption,
  parsePastDayOption,
  parsePastTimeOption,
  parseTimestampOption,
} from "./options/time-option.js";
import { createProgram } from "./program.js";

const signal = new AbortController().signal;
const { stdin, stdout, stderr } = process;

async function loadProgram(): Promise<Command> {
  const program = createProgram({ stdin, stdout, stderr, interrupt: { stop: signal, drop: signal } });
  await Promise.all(program.commands.map(loadCommand));
  return program;
}

async function findHelp(path: readonly string[]): Promise<string> {
  let help = "";
  const program = await loadProgram();
  for (const command of [program, ...program.commands, ...program.commands.flatMap((it) => it.commands)]) {
    command.configureOutput({ writeOut: (text) => (help += text) });
  }
  await expect(program.parseAsync([...path, "--help"], { from: "user" })).rejects.toThrow("(outputHelp)");
  return help;
}

const program = await loadProgram();
const nodes = listNodes(program).filter(({ path }) => path.at(-1) !== "help");

interface Node {
  readonly path: readonly string[];
  readonly command: Command;
}

/** Lists the visible commands of a tree, each with the names that lead to it. */
function listNodes(command: Command, path: readonly string[] = []): Node[] {
  const children = command.createHelp().visibleCommands(command);
  return [{ path, command }, ...children.flatMap((child) => listNodes(child, [...path, child.name()]))];
}

function findCommand(words: readonly string[]): Command | undefined {
  return nodes.findLast(({ path }) => path.every((name, index) => words[index] === name))?.command;
}

describe("every command's help has valid examples", () => {
  test.each(nodes.map(({ path }) => [path.join(" "), path] as const))("%s", async (_, path) => {
    const [, examples] = (await findHelp(path)).split("\nExamples:\n");
    const commands = [...(examples ?? "").matchAll(/calltrack ([^|)>\n]+)/g)].map((match) =>
      (match[1] ?? "").split(" "),
    );
    expect(commands.length).toBeGreaterThan(0);
    for (const words of commands) {
      const command = findCommand(words);
      expect(command?.commands).toStrictEqual([]);
      const options = words.filter((word) => word.startsWith("--"));
      const known = [...(command?.options ?? []), ...program.options].map(({ long }) => long);
      expect(known).toEqual(expect.arrayContaining(options));
    }
  });
});

describe("a command that leaves omitted values unchanged describes no default values", () => {
  const updates = nodes.filter(({ command }) =>
    command.description().endsWith("omitted options leave values unchanged"),
  );

  test.each(updates.map(({ path, command }) => [path.join(" "), command] as const))("%s", (_, command) => {
    // The account selects the resource, and is not one of its values.
    const options = command.options.filter(({ long }) => long !== "--account");
    expect(options.length).toBeGreaterThan(1);
    expect(options.filter(({ description }) => description.includes("(default: "))).toEqual([]);
  });
});

/** The parsers of options that are times. The descriptions of these options contain example values. */
const TIME_PARSERS: readonly unknown[] = [
  parseExpiryOption,
  parsePastDayOption,
  parsePastTimeOption,
  parseTimestampOption,
];

describe("an option accepts the times in its description", () => {
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  const options = commands.flatMap((command) =>
    command.options
      .filter(({ parseArg }) => TIME_PARSERS.includes(parseArg))
      .map((option) => [`${command.name()} ${option.flags}`, option] as const),
  );

  test.each(options)("%s", (_, { description, parseArg }) => {
    const [, text = ""] = /such as (.+)$/.exec(description.replaceAll(/ \([^)]*\)/g, "")) ?? [];
    if (text === "") return;
    for (const value of text.split(" or ")) expect(parseArg?.(value, undefined), value).toBeDefined();
  });

  test.each(["7d ago", "90m ago", "7d", "2026-11-21T08:30:00Z"])("a past time: %s", (text) => {
    expect(parsePastTimeOption(text)).toBeDefined();
  });

  test.each(["ago", " ago", "7 ago", "7d  ago", "today", "2026-11-21T08:30:00Z ago"])(
    "not as a past time: %s",
    (text) => {
      expect(() => parsePastTimeOption(text)).toThrow("Must be a time such as 30d ago or 2026-11-21T08:30:00Z.");
    },
  );
});
