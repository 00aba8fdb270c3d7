import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { ApiKeyService } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { CallTrackerService } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { PhoneSystemService } from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { WebhookEndpointService } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { Invocation } from "../../invocation/invocation.js";
import { runInvocation } from "../../invocation/run-invocation.js";

/** The kinds of values that completion reads from the server. */
export type CompletionValueKind =
  | "accounts"
  | "numbers"
  | "pools"
  | "trackers"
  | "keys"
  | "phone-systems"
  | "webhook-endpoints"
  | "deliveries";

/** Completion offers at most one page of values. */
const PAGE = { pageSize: 1000 };

/** Maximum time that a shell waits for values. */
const TIMEOUT_MS = 2000;

/** Matches values that a shell can safely expand. Other values, such as `$(pwd)`, could run as commands. */
const SAFE_VALUE = /^[\w.@+:-]+$/;

/**
 * Reads the values that can complete an argument. `account` and `parent`, such as a pool, are the preceding arguments. An absent argument is an empty
 * string.
 */
type ReadValues = (invocation: Invocation, account: string, parent: string) => Promise<readonly string[]>;

const readers: Readonly<Record<CompletionValueKind, ReadValues>> = {
  accounts: async (invocation) => {
    const { accounts } = await invocation.client(AccountService).listAccounts(PAGE);
    return accounts.map(({ accountToken }) => accountToken);
  },
  numbers: async (invocation, accountId) =>
    idsOf((await invocation.client(PhoneNumberService).listPhoneNumbers({ accountId, ...PAGE })).phoneNumbers),
  pools: async (invocation, accountId) =>
    idsOf((await invocation.client(PoolService).listPools({ accountId, ...PAGE })).pools),
  trackers: async (invocation, accountId, poolId) => {
    const request = { accountId, poolId, ...PAGE };
    return idsOf((await invocation.client(CallTrackerService).listCallTrackers(request)).callTrackers);
  },
  keys: async (invocation) => idsOf((await invocation.client(ApiKeyService).listApiKeys(PAGE)).apiKeys),
  "phone-systems": async (invocation) =>
    idsOf((await invocation.client(PhoneSystemService).listPhoneSystems(PAGE)).phoneSystems),
  "webhook-endpoints": async (invocation, account) => {
    const request = { accountId: account || undefined, ...PAGE };
    return idsOf((await invocation.client(WebhookEndpointService).listWebhookEndpoints(request)).webhookEndpoints);
  },
  deliveries: async (invocation, account, webhookEndpointId) => {
    // Requests only one page, with the newest deliveries, because a webhook endpoint can have very many deliveries.
    const request = { accountId: account || undefined, webhookEndpointId };
    return idsOf((await invocation.client(WebhookEndpointService).listWebhookDeliveries(request)).webhookDeliveries);
  },
};

function idsOf(items: readonly { readonly id: string }[]): string[] {
  return items.map(({ id }) => id);
}

/**
 * Returns an empty list if the request fails. Makes only one short attempt, because the user waits.
 *
 * @param command the command whose options name the server.
 * @param args the arguments before the completed one. The first argument is the account, even if an option names it.
 */
export async function readCompletionValues(
  command: CliCommand,
  kind: CompletionValueKind,
  [account = "", parent = ""]: readonly string[],
): Promise<readonly string[]> {
  command.parent?.setOptionValueWithSource("timeout", TIMEOUT_MS, "cli").setOptionValueWithSource("retries", 0, "cli");
  let values: readonly string[] = [];
  await runInvocation(command.host, command, async (invocation) => {
    values = await readers[kind](invocation, account, parent).catch(() => []);
  });
  return values.filter((value) => SAFE_VALUE.test(value));
}
