import type { Command } from "commander";

/** Adds examples to the end of a command's help. */
export function addExamples(command: Command, examples: readonly string[]): void {
  command.addHelpText("after", `\nExamples:\n${examples.map((example) => `  $ ${example}`).join("\n")}`);
}
