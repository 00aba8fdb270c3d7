import {
  type PoolExplanation,
  PoolExplanationSchema,
  PoolService,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { pluralize } from "@calltrack/domain/pluralize";
import type { CliCommand } from "../../invocation/cli-command.js";
import { type OutputRow, rowFromMessage } from "../../output/output-row.js";
import { formatCell } from "../../output/table-cell.js";
import { sourceExplanationView } from "./pool-view.js";

export function addPoolsExplainCommand(pools: CliCommand): void {
  pools
    .command("explain")
    .watchOption()
    .description("show a pool's capacity, and the reason why each source has a call tracker or has none")
    .poolArguments()
    .run(async (invocation, accountId: string, poolId: string) => {
      const message = await invocation.client(PoolService).explainPool({ accountId, poolId });
      const { sources: items } = message;
      const [facts, warnings] = [factsOf(message), message.warnings.map((text) => `warning: ${text}`)];
      const views = { view: { schema: PoolExplanationSchema }, itemView: sourceExplanationView };
      await invocation.showReport({ ...views, message, items, facts, warnings, remarks: remarksOf(message) });
    })
    .examples(
      "calltrack pools explain acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43",
      "calltrack pools explain acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43 --output json",
      "calltrack pools explain acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43 --output csv > sources.csv",
    );
}

function factsOf(explanation: PoolExplanation): OutputRow {
  const { available, active, flagged, failedPasses, lastFailure, unattributedVisits } = explanation;
  const row = rowFromMessage(PoolExplanationSchema, explanation);
  return {
    capacity: capacityText(explanation),
    call_trackers: `${active} active, ${flagged} flagged, ${available} available`,
    last_pass_at: row.last_pass_at ?? null,
    next_pass_at: row.next_pass_at ?? null,
    next_free_at: row.next_free_at ?? null,
    ...(unattributedVisits > 0n && { unattributed_visits: Number(unattributedVisits) }),
    ...(failedPasses > 0 && {
      failed_passes: `${failedPasses}, most recently: ${formatCell("", lastFailure ?? null)}`,
    }),
  };
}

function capacityText({ servesAtMost, sourceCount, visitsNeeded, windowDays }: PoolExplanation): string {
  if (servesAtMost === 0) return "serves no source automatically";
  const condition = `${pluralize(Number(visitsNeeded), "visit")} or more in ${pluralize(windowDays, "day")}`;
  return `serves up to ${pluralize(servesAtMost, "source")} with ${condition}; ${pluralize(sourceCount, "source")} had visits`;
}

function remarksOf({ retiring }: PoolExplanation): string[] {
  return retiring.map(({ trackingNumber, source, medium, reason }) => {
    const holder = source === undefined ? "" : ` of ${formatCell("", `${source} / ${medium}`)}`;
    return `${trackingNumber}${holder} is being retired: ${reason}`;
  });
}
