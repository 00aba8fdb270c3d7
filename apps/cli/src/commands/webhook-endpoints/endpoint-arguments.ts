import type { CliCommand } from "../../invocation/cli-command.js";

/** The id in the examples. */
export const EXAMPLE_ID = "019aa370-3c4d-7e5f-8a60-718293a4b5c6";

/** The option that names the account of a webhook endpoint. */
export interface AccountOption {
  /** Undefined for a webhook endpoint of all accounts. */
  readonly account?: string;
}

/** Adds the option that names the account. */
export function addAccountOption(command: CliCommand): CliCommand {
  return command.option("--account <account>", "the account that it belongs to: token or id (default: all accounts)");
}

/** Adds the argument and the option that name a webhook endpoint. */
export function addEndpointArguments(command: CliCommand): CliCommand {
  return addAccountOption(command.argument("<id>", "the webhook endpoint's id"));
}
