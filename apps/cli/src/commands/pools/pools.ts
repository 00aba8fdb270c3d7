import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { groupIntoPages } from "../../connection/group-into-pages.js";
import type { CliCommand, EtagOption } from "../../invocation/cli-command.js";
import { listPools } from "./list-pools.js";
import { poolView } from "./pool-view.js";
import { addCreatePoolCommand } from "./pools-create.js";
import { addPoolsExplainCommand } from "./pools-explain.js";
import { addPoolsHistoryCommand } from "./pools-history.js";
import { addPoolsImportCommand } from "./pools-import.js";
import { addPoolsUpdateCommand } from "./pools-update.js";
import { showPool, showPools } from "./show-pools.js";

export function defineCommand(pools: CliCommand): void {
  addCreatePoolCommand(pools);
  addGet(pools);
  addList(pools);
  addExport(pools);
  addPoolsUpdateCommand(pools);
  addPoolsExplainCommand(pools);
  addPoolsHistoryCommand(pools);
  addPoolsImportCommand(pools);
  pools.subcommandExamples();
}

function addGet(pools: CliCommand): void {
  pools
    .command("get")
    .description("show one pool of an account")
    .etagOption()
    .poolArguments()
    .run(async (invocation, accountId: string, poolId: string, options: EtagOption) => {
      const found = await invocation.client(PoolService).getPool({ accountId, poolId });
      if (options.etag) await invocation.showOrEtag(poolView, found, options);
      else await showPool(invocation, accountId, found);
    })
    .examples("calltrack pools get acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43");
}

function addList(pools: CliCommand): void {
  pools
    .command("list")
    .watchOption()
    .description("list the pools of an account, oldest first")
    .accountArgument()
    .limitOption()
    .run(async (invocation, accountId: string, { limit }: { limit?: number }) => {
      await showPools(invocation, accountId, listPools(invocation, accountId, limit));
    })
    .examples("calltrack pools list acme", "calltrack pools list acme --limit 100 --output csv > pools.csv");
}

function addExport(pools: CliCommand): void {
  pools
    .command("export")
    .description("export all pools of an account, oldest first; the default format is ndjson")
    .accountArgument()
    .run(async (invocation, accountId: string) => {
      // No deadline, because an export can take a long time.
      const stream = invocation.client(PoolService).exportPools({ accountId }, { timeoutMs: 0 });
      await showPools(invocation, accountId, groupIntoPages(stream));
    }, "ndjson")
    .examples("calltrack pools export acme > pools.jsonl", "calltrack pools export acme --output csv > pools.csv");
}
