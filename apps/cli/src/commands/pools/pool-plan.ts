import { toJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { type PoolPlan, PoolPlanSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { pluralize } from "@calltrack/domain/pluralize";
import type { Invocation } from "../../invocation/invocation.js";
import { formatTimestamp } from "../../output/table-cell.js";
import { plannedTrackerChangeView } from "./pool-view.js";

/** Prints what an update of a pool would do, with remarks about shortages. */
export async function showPoolPlan(invocation: Invocation, plan: PoolPlan): Promise<void> {
  const remarks = [shortageText(plan), outlookText(plan)].filter((line) => line !== undefined);
  const { changes: items } = plan;
  await invocation.showReport({
    view: { schema: PoolPlanSchema },
    message: plan,
    itemView: plannedTrackerChangeView,
    items,
    remarks,
  });
}

/**
 * Describes the shortages after the change: sources without a call tracker, and numbers that the inventory lacks. Returns undefined if there would be
 * no shortage.
 */
function shortageText({ unservedSources, missingNumbers }: PoolPlan): string | undefined {
  const shortages = [
    unservedSources > 0 && `${pluralize(unservedSources, "source")} would have no call tracker`,
    missingNumbers > 0 && `the inventory would lack ${pluralize(missingNumbers, "number")} with the area code`,
  ].filter((text) => text !== false);
  return shortages.length === 0 ? undefined : `Afterwards, ${shortages.join(", and ")}.`;
}

function outlookText({ changes, plannedUntil, isFrozen }: PoolPlan): string {
  if (isFrozen) return "No call tracker would change: call tracking is disabled for the account.";
  const until = plannedUntil === undefined ? "" : ` up to ${formatTimestamp(toJson(TimestampSchema, plannedUntil))}`;
  return changes.length === 0
    ? `No call tracker would change${until}.`
    : `This is a plan${until}: nothing has been changed.`;
}
