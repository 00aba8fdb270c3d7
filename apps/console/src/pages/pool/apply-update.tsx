import { type Pool, PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { api } from "../../api/client";
import { FailureNotice, Notice } from "../../ui/notice";
import { useAction } from "../../ui/use-action";
import { changedSettings, type PoolSettings, settingsOf } from "./pool-settings";

interface ApplyUpdateProps {
  readonly pool: Pool;
  readonly wanted: PoolSettings;
  /** The pool as the last update left it; undefined if there was none. */
  readonly applied: Pool | undefined;
  readonly isChanged: boolean;
  /** Whether the reader sees the plan of what is wanted. */
  readonly isPlanned: boolean;
  readonly onApplied: (pool: Pool) => void;
  readonly onReload: () => void;
}

/** Applies an update, unless the pool was changed since the reader's plan was made: that is shown as a conflict. */
export function ApplyUpdate({ pool, wanted, applied, isChanged, isPlanned, onApplied, onReload }: ApplyUpdateProps) {
  const update = useAction(async () => {
    const id = { accountId: pool.accountToken, poolId: pool.id };
    onApplied(await api(PoolService).updatePool({ ...id, ...changedSettings(pool, wanted), etag: pool.etag }));
  });
  const isConflict = update.failure?.reason === "ETAG_MISMATCH";
  return (
    <div class="stack">
      {applied?.etag === pool.etag && !isChanged && (
        <Notice kind="success" title="Applied">
          {describe(settingsOf(applied))}. The next pass adjusts the call trackers.
        </Notice>
      )}
      {isConflict && <Conflict pool={pool} wanted={wanted} onReload={onReload} />}
      {!isConflict && <FailureNotice failure={update.failure} title="The update was not applied" />}
      <button
        type="button"
        class="primary"
        disabled={!isChanged || !isPlanned || update.isRunning || isConflict}
        onClick={() => update.run()}
      >
        Apply update
      </button>
    </div>
  );
}

function Conflict({ pool, wanted, onReload }: Pick<ApplyUpdateProps, "pool" | "wanted" | "onReload">) {
  return (
    <Notice kind="error" title="Conflict: someone else changed this pool">
      <p>
        Your plan was made for {describe(settingsOf(pool))}. Nothing was applied. Load the current settings and plan
        again; you wanted {describe(wanted)}.
      </p>
      <button type="button" onClick={onReload}>
        Load current settings
      </button>
    </Notice>
  );
}

function describe({ size, utilization, areaCode }: PoolSettings): string {
  const parts = [`size ${size}`, utilization === "" ? "" : `utilization ${utilization}`, `area code ${areaCode}`];
  return parts.filter(Boolean).join(", ");
}
