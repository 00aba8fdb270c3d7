import type { Command } from "commander";

/** Ends a command's help with examples, each as one would type it. */
export function addExamples(command: Command, examples: readonly string[]): void {
  command.addHelpText("after", `\nExamples:\n${examples.map((example) => `  $ ${example}`).join("\n")}`);
}
