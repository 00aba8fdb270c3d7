import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { ApiKeyService } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { CallTrackerService } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import type { Command } from "commander";
import type { CompletionSource } from "../completion/completion-node.js";
import { createAction } from "../create-action.js";
import type { Host } from "../host.js";
import type { Invocation } from "../invocation.js";
import { readPhoneNumbers } from "../read-phone-numbers.js";
import { readPools } from "../read-pools.js";

/** How many values are offered at most: a page of the service. */
const PAGE = { pageSize: 1000 };

/** A shell expands the values that it is given: others than these could be commands to it. */
const HARMLESS = /^[\w.@+:-]+$/;

/** Reads the values of a kind, with the arguments before it. */
type ReadValues = (invocation: Invocation, account: string, pool: string) => Promise<readonly string[]>;

const readers: Readonly<Record<CompletionSource, ReadValues>> = {
  accounts: async (invocation) => {
    const { accounts } = await invocation.client(AccountService).listAccounts(PAGE, invocation.call);
    return accounts.map(({ accountToken }) => accountToken);
  },
  numbers: async (invocation, account) => (await readPhoneNumbers(invocation, account)(PAGE)).items.map(({ id }) => id),
  pools: async (invocation, account) => (await readPools(invocation, account)(PAGE)).items.map(({ id }) => id),
  trackers: async (invocation, accountId, poolId) => {
    const request = { accountId, poolId, ...PAGE };
    const { callTrackers } = await invocation.client(CallTrackerService).listCallTrackers(request, invocation.call);
    return callTrackers.map(({ id }) => id);
  },
  keys: async (invocation) => {
    const { apiKeys } = await invocation.client(ApiKeyService).listApiKeys(PAGE, invocation.call);
    return apiKeys.map(({ id }) => id);
  },
};

/** Gives the command its action by which completion scripts read values from the server: one a line, none if that fails. */
export function defineComplete(complete: Command, host: Host): void {
  complete.argument("<kind>").argument("[words...]");
  complete.action(
    createAction(host, async (invocation, kind: CompletionSource, [account = "", pool = ""]: readonly string[]) => {
      const values = await readers[kind](invocation, account, pool).catch(() => []);
      host.stdout.write(
        values
          .filter((value) => HARMLESS.test(value))
          .map((value) => `${value}\n`)
          .join(""),
      );
    }),
  );
}
