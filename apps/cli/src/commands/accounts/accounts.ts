import { type Account, AccountSchema, AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { Option } from "commander";
import { readListPages } from "../../connection/read-list-pages.js";
import type { CliCommand, EtagOption, IfMatchOption } from "../../invocation/cli-command.js";
import type { Invocation } from "../../invocation/invocation.js";
import type { ResourceView } from "../../output/resource-view.js";
import { parseInt32 } from "../../text/number-text.js";

const accountView: ResourceView<typeof AccountSchema> = {
  schema: AccountSchema,
  expendable: ["updated_at", "created_at"],
};

export function defineCommand(accounts: CliCommand): void {
  addCreate(accounts);
  addGet(accounts);
  addList(accounts);
  addSetActive(accounts, { name: "enable", isActive: true });
  addSetActive(accounts, { name: "disable", isActive: false });
  accounts.subcommandExamples();
}

function addCreate(accounts: CliCommand): void {
  accounts
    .command("create")
    .description("enable call tracking for an account of your platform")
    .argument("<token>", "the account's token, which identifies it on your platform")
    .run(async (invocation, accountToken: string) => {
      const account = await invocation.client(AccountService).createAccount({ accountToken });
      await invocation.show(accountView, account);
    })
    .examples("calltrack accounts create acme", "calltrack accounts create acme --output json");
}

function addGet(accounts: CliCommand): void {
  accounts
    .command("get")
    .description("show one account")
    .etagOption()
    .accountArgument()
    .run(async (invocation, account: string, options: EtagOption) => {
      const found = await getAccount(invocation, account);
      await invocation.showOrEtag(accountView, found, options);
    })
    .examples("calltrack accounts get acme", "calltrack accounts get 1");
}

function addList(accounts: CliCommand): void {
  accounts
    .command("list")
    .watchOption()
    .description("list all accounts, oldest first")
    .limitOption()
    .option("--prefix <text>", "show only accounts whose token begins with this text, sorted by token")
    .addOption(
      new Option("--state <state>", "show only accounts whose call tracking is in this state").choices(
        Object.keys(STATES),
      ),
    )
    .run(async (invocation, { limit, prefix, state }: ListOptions) => {
      const client = invocation.client(AccountService);
      const filter = { query: prefix, isActive: state && STATES[state] };
      const pages = readListPages((page) => client.listAccounts({ ...filter, ...page }), limit);
      await invocation.showList(accountView, pages);
    })
    .examples(
      "calltrack accounts list",
      "calltrack accounts list --limit 10 --output csv",
      "calltrack accounts list --prefix ac --state disabled",
    );
}

const STATES = { enabled: true, disabled: false } as const;

interface ListOptions {
  readonly limit?: number;
  readonly prefix?: string;
  readonly state?: keyof typeof STATES;
}

function getAccount(invocation: Invocation, accountId: string): Promise<Account> {
  return invocation.client(AccountService).getAccount({ accountId });
}

/**
 * Calls `use` with the id of an account, given its token or id. Text that looks like an id is first used as an id, without reading the
 * account. This is safe, because the token of an account is never the id of another account.
 */
async function withAccountId<T>(invocation: Invocation, account: string, use: (id: number) => Promise<T>): Promise<T> {
  const id = parseInt32(account);
  // Only canonical decimal can be an id: `05` is a token.
  if (id !== undefined && String(id) === account) {
    try {
      return await use(id);
    } catch (error) {
      if (!(error instanceof ConnectError && [Code.NotFound, Code.InvalidArgument].includes(error.code))) throw error;
    }
  }
  return await use((await getAccount(invocation, account)).id);
}

function addSetActive(accounts: CliCommand, { name, isActive }: { name: string; isActive: boolean }): void {
  accounts
    .command(name)
    .description(`${name} call tracking for an account`)
    .ifMatchOption()
    .accountArgument()
    .run(async (invocation, account: string, { ifMatch: etag }: IfMatchOption) => {
      const client = invocation.client(AccountService);
      const updated = await withAccountId(invocation, account, (id) => client.updateAccount({ id, isActive, etag }));
      await invocation.show(accountView, updated);
    })
    .examples(`calltrack accounts ${name} acme`);
}
