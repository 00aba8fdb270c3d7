import { Argument } from "commander";
import type { CliCommand } from "../../invocation/cli-command.js";
import { loadAllCommands } from "../lazy-command.js";
import { bashCompletion } from "./bash-completion.js";
import { type CompletionNode, listCompletionNodes } from "./completion-node.js";
import { fishCompletion } from "./fish-completion.js";
import { zshCompletion } from "./zsh-completion.js";

const scripts: Readonly<Record<string, (program: string, nodes: readonly CompletionNode[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Defines `completion`, which prints a script generated from the command tree. */
export function defineCompletion(completion: CliCommand): void {
  completion
    .addArgument(new Argument("<shell>", "the shell that runs the script").choices(Object.keys(scripts)))
    .action(async (shell: string) => {
      const program = completion.parent ?? completion;
      await loadAllCommands(program);
      completion.host.stdout.write(scripts[shell]?.(program.name(), listCompletionNodes(program)) ?? "");
    });
  completion.examples(
    "source <(calltrack completion bash)",
    "source <(calltrack completion zsh)",
    "calltrack completion fish | source",
  );
}
