import { Command } from "commander";
import { parseCountOption, parseTimeoutOption } from "../options/option-value.js";
import type { OutputFormatName } from "../output/output-options.js";
import type { CommandHost } from "../process/command-host.js";
import type { Invocation } from "./invocation.js";

/** The `--etag` option of commands that show one resource. */
export interface EtagOption {
  readonly etag?: boolean;
}

/** The `--if-match` option of commands that update one resource. */
export interface IfMatchOption {
  readonly ifMatch?: string;
}

/** A command, or the program itself. Subcommands share the host of their parent. */
export class CliCommand extends Command {
  #firstExample = "";

  constructor(
    readonly host: CommandHost,
    name?: string,
  ) {
    super(name);
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(this.host, name);
  }

  accountArgument(): this {
    return this.argument("<account>", "the account's token or id");
  }

  poolArguments(): this {
    return this.accountArgument().argument("<pool>", "the pool's id");
  }

  limitOption(): this {
    return this.option("--limit <count>", "show at most this many results", parseCountOption);
  }

  watchOption(): this {
    return this.option(
      "--watch [time]",
      "repeat the command at this interval until Ctrl-C (default: 2s)",
      parseTimeoutOption,
    );
  }

  /** Adds the option `--etag`, whose value is in {@link EtagOption}. */
  etagOption(): this {
    return this.option("--etag", "print only the resource's etag, to pass to --if-match");
  }

  /** Adds the option `--if-match`, which makes an update conditional (RFC 9110 section 13.1.1). Its value is in {@link IfMatchOption}. */
  ifMatchOption(): this {
    return this.option("--if-match <etag>", "change the resource only if it still has this etag", parseEtagOption);
  }

  /**
   * Sets the action of the command. `run` gets an invocation, then the command's arguments in order, then its options. Errors propagate through
   * commander's `parseAsync`.
   *
   * @param output the default output format, by default a table; "lines" is a table on a terminal, and ndjson otherwise.
   */
  run<Inputs extends unknown[]>(
    run: (invocation: Invocation, ...inputs: Inputs) => Promise<void>,
    output?: OutputFormatName | "lines",
  ): this {
    return this.action(async (...inputs: unknown[]) => {
      // Loads the module only when a command runs, because it needs many modules that help and completion do not need.
      const { runInvocation } = await import("./run-invocation.js");
      const format = output === "lines" ? (this.host.stdout.isTTY ? "table" : "ndjson") : output;
      await runInvocation(this.host, this, (invocation) => run(invocation, ...(inputs.slice(0, -1) as Inputs)), format);
    });
  }

  /** Adds examples to the end of the help. */
  examples(...examples: readonly string[]): this {
    this.#firstExample = examples[0] ?? "";
    return this.addHelpText("after", `\nExamples:\n${examples.map((example) => `  $ ${example}`).join("\n")}`);
  }

  /** Adds the first example of each subcommand to the end of the help. */
  subcommandExamples(): this {
    return this.examples(...this.commands.map((command) => (command as CliCommand).#firstExample));
  }
}

/** Restores the quotes of an etag, which the shell may have removed. */
function parseEtagOption(text: string): string {
  return text === "*" || text.includes('"') ? text : `"${text}"`;
}
