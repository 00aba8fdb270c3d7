import { Command } from "commander";
import { parseCountOption, parseTimeoutOption } from "../options/option-value.js";
import type { OutputFormatName } from "../output/output-options.js";
import type { Host } from "../process/host.js";
import type { Invocation } from "./invocation.js";

/** The option of commands that show one resource. */
export interface EtagOption {
  readonly etag?: boolean;
}

/** The option of commands that update one resource. */
export interface IfMatchOption {
  readonly ifMatch?: string;
}

/** A command of the program, or the program itself. Its subcommands share the host. */
export class CliCommand extends Command {
  #firstExample = "";

  constructor(
    readonly host: Host,
    name?: string,
  ) {
    super(name);
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(this.host, name);
  }

  /** Adds the argument that names an account. */
  accountArgument(): this {
    return this.argument("<account>", "the account's token or id");
  }

  /** Adds the arguments that name a pool of an account. */
  poolArguments(): this {
    return this.accountArgument().argument("<pool>", "the pool's id");
  }

  /** Adds the option that limits the length of a list. */
  limitOption(): this {
    return this.option("--limit <count>", "show at most this many", parseCountOption);
  }

  /** Adds the option that repeats the command. */
  watchOption(): this {
    return this.option("--watch [time]", "repeat at this interval (default: 2s)", parseTimeoutOption);
  }

  /** Adds the option that prints only the etag of a resource; see `EtagOption`. */
  etagOption(): this {
    return this.option("--etag", "print only its etag, for use with --if-match");
  }

  /** Adds the option that makes an update conditional on the resource's etag (RFC 9110 section 13.1.1); see `IfMatchOption`. */
  ifMatchOption(): this {
    return this.option("--if-match <etag>", "update it only if it still has this etag", parseEtagOption);
  }

  /**
   * Sets what the command does. `run` gets an invocation, then the command's arguments in order, then its options. Errors
   * propagate through commander's `parseAsync`.
   *
   * @param output the default output format, if not a table; "lines" stands for ndjson, and for a table on a terminal.
   */
  run<Inputs extends unknown[]>(
    run: (invocation: Invocation, ...inputs: Inputs) => Promise<void>,
    output?: OutputFormatName | "lines",
  ): this {
    return this.action(async (...inputs: unknown[]) => {
      // Connecting takes many modules, which help and completion do not need.
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

/** Adds the quotes of an etag that the shell removed. */
function parseEtagOption(text: string): string {
  return text === "*" || text.includes('"') ? text : `"${text}"`;
}
