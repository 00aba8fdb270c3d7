import type { CliCommand } from "../../invocation/cli-command.js";

export const EXAMPLE_ENDPOINT_ID = "019aa370-3c4d-7e5f-8a60-718293a4b5c6";

export interface AccountOption {
  /** Undefined for a webhook endpoint that gets the events of all accounts. */
  readonly account?: string;
}

export function addAccountOption(command: CliCommand): CliCommand {
  return command.option(
    "--account <account>",
    "token or id of the webhook endpoint's account (default: the webhook endpoint gets the events of all accounts)",
  );
}

export function addEndpointArguments(command: CliCommand): CliCommand {
  return addAccountOption(command.argument("<id>", "the webhook endpoint's id"));
}
