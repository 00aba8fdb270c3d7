import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Command } from "commander";
import { collectPages } from "../../connection/collect-pages.js";
import { createAction } from "../../invocation/create-action.js";
import { addExamples } from "../../options/command-examples.js";
import { addEtagOption, type EtagOption } from "../../options/etag-options.js";
import { parseCountOption } from "../../options/option-value.js";
import { addWatchOption } from "../../options/watch.js";
import type { Host } from "../../process/host.js";
import { listPools } from "./list-pools.js";
import { poolView } from "./pool-view.js";
import { addCreatePoolCommand } from "./pools-create.js";
import { addPoolsExplain } from "./pools-explain.js";
import { addPoolsHistory } from "./pools-history.js";
import { addPoolsImport } from "./pools-import.js";
import { addPoolsUpdate } from "./pools-update.js";
import { showPool, showPools } from "./show-pools.js";

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
        if (options.etag) await invocation.showOrEtag(poolView, found, options);
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
        await showPools(invocation, accountId, listPools(invocation, accountId, limit));
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
