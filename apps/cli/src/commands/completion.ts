import { Argument, type Command } from "commander";
import { addExamples } from "../command-examples.js";
import { bashCompletion } from "../completion/bash-completion.js";
import { type CompletionNode, listCompletionNodes } from "../completion/completion-node.js";
import { fishCompletion } from "../completion/fish-completion.js";
import { zshCompletion } from "../completion/zsh-completion.js";
import type { Host } from "../host.js";
import { loadAllCommands } from "../lazy-command.js";

const scripts: Readonly<Record<string, (program: string, nodes: readonly CompletionNode[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Defines `completion`, which prints a script generated from the command tree. */
export function defineCompletion(completion: Command, host: Host): void {
  completion
    .addArgument(new Argument("<shell>", "the shell that runs the script").choices(Object.keys(scripts)))
    .action(async (shell: string) => {
      const program = completion.parent ?? completion;
      await loadAllCommands(program);
      host.stdout.write(scripts[shell]?.(program.name(), listCompletionNodes(program)) ?? "");
    });
  addExamples(completion, [
    "source <(calltrack completion bash)",
    "source <(calltrack completion zsh)",
    "calltrack completion fish | source",
  ]);
}
