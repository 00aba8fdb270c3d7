import { describe, expect, test } from "vitest";
import { type CompletionNode, listCompletionNodes } from "./completion/completion-node.js";
import { loadAllCommands } from "./lazy-command.js";
import { createProgram } from "./program.js";

const signal = new AbortController().signal;
const { stdin, stdout, stderr } = process;

async function findHelp(path: readonly string[]): Promise<string> {
  let help = "";
  const program = createProgram({ stdin, stdout, stderr, interrupt: { stop: signal, drop: signal } });
  await loadAllCommands(program);
  for (const command of [program, ...program.commands, ...program.commands.flatMap((it) => it.commands)]) {
    command.configureOutput({ writeOut: (text) => (help += text) });
  }
  await expect(program.parseAsync([...path, "--help"], { from: "user" })).rejects.toThrow("(outputHelp)");
  return help;
}

const program = createProgram({ stdin, stdout, stderr, interrupt: { stop: signal, drop: signal } });
await loadAllCommands(program);
const nodes = listCompletionNodes(program).filter(({ path }) => path.at(-1) !== "help");

function findNode(words: readonly string[]): CompletionNode | undefined {
  return nodes.findLast(({ path }) => path.every((name, index) => words[index] === name));
}

describe("every command's help has valid examples", () => {
  test.each(nodes.map(({ path }) => [path.join(" "), path] as const))("%s", async (_, path) => {
    const [, examples] = (await findHelp(path)).split("\nExamples:\n");
    const commands = [...(examples ?? "").matchAll(/calltrack ([^|)>\n]+)/g)].map((match) =>
      (match[1] ?? "").split(" "),
    );
    expect(commands.length).toBeGreaterThan(0);
    for (const words of commands) {
      const node = findNode(words);
      expect(node?.commands).toStrictEqual([]);
      const options = words.filter((word) => word.startsWith("--"));
      expect(node?.options.flatMap(({ names }) => names)).toEqual(expect.arrayContaining(options));
    }
  });
});
