import type { Expression, RawBuilder } from "kysely";
import { sql } from "kysely";

/** Whose history is read, and up to when: a change at the very moment counts. */
export interface AttributionKey {
  readonly accountId: Expression<number>;
  readonly callTrackerId: Expression<string>;
  readonly at: Expression<Date>;
}

/** The status of a call tracker at a moment, and the source that held it then or last before. */
export interface AttributionColumns {
  readonly tracker_status: "available" | "active" | "flagged" | "released";
  readonly source: string | null;
  readonly medium: string | null;
  /** When the source, or the pool if there was none, gave the number up; null while it was held. */
  readonly held_until: Date | null;
}

/** Changes that leave the status of a call tracker as it is. */
const WITHOUT_STATUS = sql`('described', 'retiring')`;

/**
 * The attribution of a call by the history of its call tracker, as the one row of a subquery. The ids of changes grow in the order of
 * the changes, and their times may not: a change has the time of its transaction's start. So the last by id counts.
 */
export function attributionAt({ accountId, callTrackerId, at }: AttributionKey): RawBuilder<AttributionColumns> {
  const last = (columns: RawBuilder<unknown>, condition: RawBuilder<boolean>) => sql`
    select ${columns} from call_tracker_changes as change
    where change.account_id = ${accountId} and change.call_tracker_id = ${callTrackerId}
      and change.occurred_at <= ${at} and ${condition}
    order by change.id desc limit 1`;
  const isStatus = sql<boolean>`change.kind not in ${WITHOUT_STATUS}`;
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
