import { type Pool, PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { serverTime } from "../../api/clock";
import { hasScope } from "../../api/identity";
import { useLoad } from "../../api/use-load";
import { route } from "../../routing/route";
import { Violations } from "../../ui/field";
import { Notice } from "../../ui/notice";
import { useDelayed } from "../../ui/use-delayed";
import { ApplyUpdate } from "./apply-update";
import { PlanView } from "./plan-view";
import { changedSettings, settingsOf } from "./pool-settings";
import { SettingsFields } from "./settings-fields";

const PLAN_DELAY_MS = 200;

interface ResizeTabProps {
  readonly pool: Pool;
  /** The pool as the last update of this page left it; undefined if there was none. */
  readonly applied: Pool | undefined;
  readonly onApplied: (pool: Pool) => void;
  /** Loads the pool again. */
  readonly onReload: () => void;
}

/** A change of a pool's settings: its plan while the reader changes them, and the button that applies it. */
export function ResizeTab({ pool, applied, onApplied, onReload }: ResizeTabProps) {
  const current = settingsOf(pool);
  const [wanted, setWanted] = useState({ ...current, size: route.peek().query.get("size") ?? current.size });
  const planned = useDelayed(wanted, PLAN_DELAY_MS);
  const id = { accountId: pool.accountToken, poolId: pool.id };
  const state = useLoad(`state ${pool.id}`, async (signal) => ({
    explanation: await api(PoolService).explainPool(id, { signal }),
    now: await serverTime(signal),
  }));
  const plan = useLoad(
    `plan ${pool.id} ${JSON.stringify(planned)}`,
    (signal) => api(PoolService).planPoolUpdate({ ...id, ...changedSettings(pool, planned) }, { signal }),
    { keepsOld: true },
  );
  const isPlanned = planned === wanted && !plan.isLoading;
  const isChanged = Object.keys(changedSettings(pool, wanted)).length > 0;
  return (
    <div class="columns">
      <section class="card stack" aria-labelledby="settings-title">
        <h2 id="settings-title">Settings</h2>
        <Violations.Provider value={plan.failure?.violations ?? {}}>
          <SettingsFields
            {...{ pool, wanted }}
            advisedSize={state.value?.explanation.advisedSize}
            onChange={setWanted}
          />
        </Violations.Provider>
        {hasScope("write") ? (
          <ApplyUpdate
            {...{ pool, wanted, applied, onApplied, onReload }}
            isChanged={isChanged}
            isPlanned={isPlanned && plan.failure === undefined}
          />
        ) : (
          <Notice kind="info">Your credential may plan, but not apply: that needs the scope write.</Notice>
        )}
      </section>
      <section class="stack" aria-labelledby="plan-title" aria-busy={!isPlanned}>
        <h2 id="plan-title">{isChanged ? "Effect of this update" : "Without an update"}</h2>
        <PlanView plan={plan} state={state} size={Number(wanted.size) || pool.size} />
      </section>
    </div>
  );
}
