import type { CliCommand } from "../invocation/cli-command.js";
import { UsageError } from "../process/usage-error.js";
import { loadCommand } from "./lazy-command.js";

/** Defines `help`, which prints the help of any command or subcommand. */
export function defineCommand(help: CliCommand): void {
  help
    .argument("[command...]", "the command, such as pools create (default: all commands)")
    .action(async (names: readonly string[]) => {
      let command = help.parent ?? help;
      for (const [depth, name] of names.entries()) {
        const child = command.commands.find((it) => it.name() === name);
        if (child === undefined) throw new UsageError(unknownText(names.slice(0, depth), name));
        await loadCommand(child);
        command = child;
      }
      command.help();
    });
}

function unknownText(path: readonly string[], name: string): string {
  return `unknown command ${JSON.stringify(name)}: run ${["calltrack", ...path, "--help"].join(" ")} for a list`;
}
