import {
  type ApiKey,
  ApiKeySchema,
  type ApiKeyScope,
  ApiKeyScopeSchema,
  ApiKeyService,
} from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { readListPages } from "../../connection/read-list-pages.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import { createEnumOption } from "../../options/enum-option.js";
import { parseExpiryOption, type TimeOption } from "../../options/time-option.js";
import { rowFromMessage } from "../../output/output-row.js";
import type { ResourceView } from "../../output/resource-view.js";

const apiKeyView: ResourceView<typeof ApiKeySchema> = {
  schema: ApiKeySchema,
  expendable: ["created_at", "description", "last_used_at", "expires_at", "account_token"],
};

export function defineCommand(keys: CliCommand): void {
  addCreate(keys);
  addGet(keys);
  addList(keys);
  addRevoke(keys);
  keys.subcommandExamples();
}

interface CreateOptions {
  readonly scope: ApiKeyScope[];
  readonly account?: string;
  readonly description?: string;
  readonly expires?: TimeOption;
}

function addCreate(keys: CliCommand): void {
  keys
    .command("create")
    .description("create a key; its secret is shown only once")
    .addOption(
      createEnumOption(
        "--scope <scopes...>",
        "the permissions of the key; admin includes all others",
        ApiKeyScopeSchema,
      ).makeOptionMandatory(),
    )
    .option("--account <account>", "restrict the key to this account, given by its token or id")
    .option("--description <text>", "a note on the key's purpose")
    .option("--expires <time>", "expiry time, such as 90d (from now) or 2027-11-20T00:00:00Z", parseExpiryOption)
    .run(async (invocation, options: CreateOptions) => {
      const { scope: scopes, account: accountId, description, expires } = options;
      const expiresAt = await invocation.timeOf(expires);
      const made = await invocation.client(ApiKeyService).createApiKey({ scopes, accountId, description, expiresAt });
      await invocation.showRow({ ...rowFromMessage(ApiKeySchema, made.apiKey as ApiKey), key: made.key });
    })
    .examples(
      "calltrack keys create --scope read write --account acme --expires 90d",
      'calltrack keys create --scope dni --description "the phone system" --output json',
    );
}

function addGet(keys: CliCommand): void {
  keys
    .command("get")
    .description("show one key, without its secret")
    .argument("<id>", "the key's id")
    .run(async (invocation, apiKeyId: string) => {
      const client = invocation.client(ApiKeyService);
      await invocation.show(apiKeyView, await client.getApiKey({ apiKeyId }));
    })
    .examples("calltrack keys get 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43");
}

interface ListOptions {
  readonly account?: string;
  readonly limit?: number;
}

function addList(keys: CliCommand): void {
  keys
    .command("list")
    .watchOption()
    .description("list all keys, including revoked ones, oldest first")
    .option("--account <account>", "only keys that are restricted to this account, given by its token or id")
    .limitOption()
    .run(async (invocation, { account: accountId, limit }: ListOptions) => {
      const client = invocation.client(ApiKeyService);
      const pages = readListPages((page) => client.listApiKeys({ accountId, ...page }), limit);
      await invocation.showList(apiKeyView, pages);
    })
    .examples("calltrack keys list", "calltrack keys list --account acme --output csv");
}

function addRevoke(keys: CliCommand): void {
  keys
    .command("revoke")
    .description("revoke a key permanently; takes effect within 5 seconds")
    .argument("<id>", "the key's id")
    .run(async (invocation, apiKeyId: string) => {
      await invocation.show(apiKeyView, await invocation.client(ApiKeyService).revokeApiKey({ apiKeyId }));
    })
    .examples("calltrack keys revoke 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43");
}
