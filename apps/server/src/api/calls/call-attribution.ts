import type { Expression, RawBuilder } from "kysely";
import { sql } from "kysely";
import { buildHistoryTimeCondition } from "./history-time.js";

/** The status of a call tracker when a call started, and the source that held it at that time or, failing that, last held it. */
interface AttributionColumns {
  readonly tracker_status: "available" | "active" | "flagged" | "released";
  readonly source: string | null;
  readonly medium: string | null;
  /** When the source released the number or, if no source ever held the number, when the pool released it. Null if neither has happened. */
  readonly held_until: Date | null;
}

/** An SQL list of the kinds of changes that do not affect the status of a call tracker. */
export const STATUS_NEUTRAL_CHANGE_KINDS = sql`('described', 'retiring')`;

/**
 * Builds a subquery with exactly one row, which attributes a call by the history of its call tracker. The latest change is the one with the
 * highest id: changes are timestamped with the start of their transaction, so their times may be out of order.
 *
 * @param at the start of the call; see `buildHistoryTimeCondition`.
 */
export function buildAttributionQuery(
  accountId: Expression<number>,
  callTrackerId: Expression<string>,
  at: Expression<Date>,
): RawBuilder<AttributionColumns> {
  const last = (columns: RawBuilder<unknown>, condition: RawBuilder<boolean>) => sql`
    select ${columns} from call_tracker_changes as change
    where change.account_id = ${accountId} and change.call_tracker_id = ${callTrackerId}
      and ${buildHistoryTimeCondition(sql.ref("change.occurred_at"), at)} and ${condition}
    order by change.id desc limit 1`;
  const isStatus = sql<boolean>`change.kind not in ${STATUS_NEUTRAL_CHANGE_KINDS}`;
  return sql<AttributionColumns>`(
    select
      case
        when status_change.kind in ('activated', 'unflagged') then 'active'
        when status_change.kind = 'flagged' then 'flagged'
        when status_change.kind = 'deleted' then 'released'
        else 'available'
      end as tracker_status,
      source_change.source, source_change.medium,
      case
        when status_change.kind in ('activated', 'unflagged', 'flagged') then null
        when source_change.source is not null then source_change.occurred_at
        when status_change.kind = 'deleted' then status_change.occurred_at
      end as held_until
    from (select) as nothing
    left join lateral (${last(sql`change.kind, change.occurred_at`, isStatus)}) as status_change on true
    left join lateral (
      ${last(sql`change.source, change.medium, change.occurred_at`, sql<boolean>`change.source is not null`)}
    ) as source_change on true)`;
}
