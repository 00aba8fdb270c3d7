import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Command } from "commander";
import { collectPages } from "../collect-pages.js";
import { addExamples } from "../command-examples.js";
import { createAction } from "../create-action.js";
import { addEtagOption, type EtagOption, showResourceOrEtag } from "../etag-options.js";
import type { Host } from "../host.js";
import { addPoolsImport } from "../import/pools-import.js";
import { listPages } from "../list-pages.js";
import { parseCountOption } from "../option-value.js";
import { readPools } from "../read-pools.js";
import { showPool, showPools } from "../show-pools.js";
import { poolView } from "../views/pool-view.js";
import { addWatchOption } from "../watch.js";
import { addCreatePoolCommand } from "./pools-create.js";
import { addPoolsExplain } from "./pools-explain.js";
import { addPoolsHistory } from "./pools-history.js";
import { addPoolsUpdate } from "./pools-update.js";

/** Defines the subcommands of `pools`. */
export function definePools(pools: Command, host: Host): void {
  addExamples(pools, [
    "calltrack pools list acme",
    "calltrack pools update acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43 --size 20 --plan",
    "calltrack pools import acme pools.csv --rejects refused.csv",
  ]);
  addCreatePoolCommand(pools, host);
  addGet(pools, host);
  addList(pools, host);
  addExport(pools, host);
  addPoolsUpdate(pools, host);
  addPoolsExplain(pools, host);
  addPoolsHistory(pools, host);
  addPoolsImport(pools, host);
}

function addGet(pools: Command, host: Host): void {
  const get = addEtagOption(pools.command("get").description("show one pool of an account"))
    .argument("<account>", "the account's token or id")
    .argument("<pool>", "the pool's id")
    .action(
      createAction(host, async (invocation, accountId: string, poolId: string, options: EtagOption) => {
        const found = await invocation.client(PoolService).getPool({ accountId, poolId }, invocation.call);
        if (options.etag) await showResourceOrEtag(invocation, poolView, found, options);
        else await showPool(invocation, accountId, found);
      }),
    );
  addExamples(get, ["calltrack pools get acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43"]);
}

function addList(pools: Command, host: Host): void {
  const list = addWatchOption(pools.command("list"))
    .description("list the pools of an account, oldest first")
    .argument("<account>", "the account's token or id")
    .option("--limit <count>", "show at most this many", parseCountOption)
    .action(
      createAction(host, async (invocation, accountId: string, { limit }: { limit?: number }) => {
        await showPools(invocation, accountId, listPages(readPools(invocation, accountId), limit));
      }),
    );
  addExamples(list, ["calltrack pools list acme", "calltrack pools list acme --limit 100 --output csv > pools.csv"]);
}

function addExport(pools: Command, host: Host): void {
  const exportPools = pools
    .command("export")
    .description("export all pools of an account, oldest first; the default format is ndjson")
    .argument("<account>", "the account's token or id")
    .action(
      createAction(
        host,
        async (invocation, accountId: string) => {
          // No deadline, because an export can take long.
          const stream = invocation
            .client(PoolService)
            .exportPools({ accountId }, { ...invocation.call, timeoutMs: 0 });
          await showPools(invocation, accountId, collectPages(stream));
        },
        "ndjson",
      ),
    );
  addExamples(exportPools, [
    "calltrack pools export acme > pools.jsonl",
    "calltrack pools export acme --output csv > pools.csv",
  ]);
}
