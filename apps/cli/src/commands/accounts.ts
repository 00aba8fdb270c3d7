import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Command } from "commander";
import { addExamples } from "../command-examples.js";
import { createAction } from "../create-action.js";
import {
  addEtagOption,
  addIfMatchOption,
  type EtagOption,
  type IfMatchOption,
  showResourceOrEtag,
} from "../etag-options.js";
import type { Host } from "../host.js";
import type { Invocation } from "../invocation.js";
import { listPages, type PageRequest } from "../list-pages.js";
import { parseInt32 } from "../number-text.js";
import { parseCountOption } from "../option-value.js";
import { accountView } from "../views/account-view.js";
import { addWatchOption } from "../watch.js";

/** Defines the subcommands of `accounts`. */
export function defineAccounts(accounts: Command, host: Host): void {
  addExamples(accounts, [
    "calltrack accounts create acme",
    "calltrack accounts list",
    "calltrack accounts disable acme",
  ]);
  addCreate(accounts, host);
  addGet(accounts, host);
  addList(accounts, host);
  addSetActive(accounts, host, { name: "enable", isActive: true });
  addSetActive(accounts, host, { name: "disable", isActive: false });
}

function addCreate(accounts: Command, host: Host): void {
  const create = accounts
    .command("create")
    .description("enable call tracking for an account of the platform")
    .argument("<token>", "the account's identifier on the platform")
    .action(
      createAction(host, async (invocation, accountToken: string) => {
        const account = await invocation.client(AccountService).createAccount({ accountToken }, invocation.call);
        await invocation.show(accountView, account);
      }),
    );
  addExamples(create, ["calltrack accounts create acme", "calltrack accounts create acme --output json"]);
}

function addGet(accounts: Command, host: Host): void {
  const get = addEtagOption(accounts.command("get").description("show one account"))
    .argument("<account>", "the account's token or id")
    .action(
      createAction(host, async (invocation, account: string, options: EtagOption) => {
        const id = await findAccountId(invocation, account);
        const found = await invocation.client(AccountService).getAccount({ id }, invocation.call);
        await showResourceOrEtag(invocation, accountView, found, options);
      }),
    );
  addExamples(get, ["calltrack accounts get acme", "calltrack accounts get 1"]);
}

function addList(accounts: Command, host: Host): void {
  const list = addWatchOption(accounts.command("list"))
    .description("list all accounts, oldest first")
    .option("--limit <count>", "show at most this many", parseCountOption)
    .action(
      createAction(host, async (invocation, { limit }: { limit?: number }) => {
        await invocation.showList(accountView, listPages(readAccounts(invocation), limit));
      }),
    );
  addExamples(list, ["calltrack accounts list", "calltrack accounts list --limit 10 --output csv"]);
}

function readAccounts(invocation: Invocation) {
  const client = invocation.client(AccountService);
  return async (request: PageRequest) => {
    const { accounts, nextPageToken } = await client.listAccounts(request, invocation.call);
    return { items: accounts, nextPageToken };
  };
}

/** Returns the id of an account that is named by its token or id. Tokens are looked up in the list of accounts. */
async function findAccountId(invocation: Invocation, account: string): Promise<number> {
  const id = parseInt32(account);
  if (id !== undefined) return id;
  for await (const accounts of listPages(readAccounts(invocation))) {
    const found = accounts.find(({ accountToken }) => accountToken === account);
    if (found !== undefined) return found.id;
  }
  throw new ConnectError(`account ${JSON.stringify(account)} not found`, Code.NotFound);
}

function addSetActive(accounts: Command, host: Host, { name, isActive }: { name: string; isActive: boolean }): void {
  const setActive = addIfMatchOption(accounts.command(name).description(`${name} call tracking for an account`))
    .argument("<account>", "the account's token or id")
    .action(
      createAction(host, async (invocation, account: string, { ifMatch: etag }: IfMatchOption) => {
        const id = await findAccountId(invocation, account);
        const updated = await invocation.client(AccountService).updateAccount({ id, isActive, etag }, invocation.call);
        await invocation.show(accountView, updated);
      }),
    );
  addExamples(setActive, [`calltrack accounts ${name} acme`]);
}
