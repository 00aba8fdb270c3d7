import type { CliCommand } from "../invocation/cli-command.js";

/** The width that commander's own help has if standard output is not a terminal. */
const DEFAULT_WIDTH = 80;

/** Defines `options`, which prints the global options. */
export function defineCommand(options: CliCommand): void {
  options.action(() => {
    const program = options.parent ?? options;
    const help = options.createHelp();
    help.prepareContext({ helpWidth: options.host.stdout.columns ?? DEFAULT_WIDTH });
    const visible = help.visibleOptions(program);
    const width = Math.max(...visible.map((option) => help.optionTerm(option).length));
    const lines = visible.map((it) => help.formatItem(help.optionTerm(it), width, help.optionDescription(it), help));
    options.host.stdout.write(`${lines.join("\n")}\n`);
  });
  options.examples("calltrack options");
}
