import { type Pool, PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { unrecordedCallsWarning } from "@calltrack/domain/unrecorded-calls";
import { useEffect } from "preact/hooks";
import { api } from "../../api/client";
import { serverTime } from "../../api/clock";
import { hasScope } from "../../api/identity";
import { type Loaded, useLoad } from "../../api/use-load";
import { eventsAboutPool } from "../../events/event-filters";
import { route, setQuery } from "../../routing/route";
import { Violations } from "../../ui/field";
import { Notice, WarningNotice } from "../../ui/notice";
import { useDelayed } from "../../ui/use-delayed";
import { useEdit } from "../../ui/use-edit";
import { ApplyUpdate } from "./apply-update";
import { PlanView } from "./plan-view";
import { changedFields, type PoolSettings, settingsOf } from "./pool-settings";
import { SettingsFields } from "./settings-fields";

const PLAN_DELAY_MS = 200;

/** A pool with its original number, in E.164 format. */
interface NumberedPool {
  readonly pool: Pool;
  readonly number: string;
}

interface ResizeTabProps {
  readonly value: NumberedPool;
  readonly loaded: Loaded<NumberedPool>;
}

export function ResizeTab({ value, loaded }: ResizeTabProps) {
  const { pool } = value;
  const id = { accountId: pool.accountToken, poolId: pool.id };
  const edit = useEdit({
    ...{ name: "Updating the pool", loaded, value },
    fieldsOf: (each) => settingsOf(each.pool),
    send: async (changes) => {
      const request = { ...id, ...changedFields(changes), etag: pool.etag };
      return { ...value, pool: await api(PoolService).updatePool(request) };
    },
    initial: sizeOfAddress(),
  });
  // A size in the URL is only the initial value. If it stayed there, a reload of the page would replace the user's changes.
  useEffect(() => setQuery({ size: undefined }), []);
  const wanted = JSON.stringify([pool.etag, edit.changes]);
  const planned = useDelayed(wanted, PLAN_DELAY_MS);
  const state = useLoad(
    `state ${pool.id} ${pool.etag}`,
    async (signal) => ({
      explanation: await api(PoolService).explainPool(id, { signal }),
      now: await serverTime(signal),
    }),
    { keepsOld: true, changedBy: eventsAboutPool(pool.id) },
  );
  const plan = useLoad(
    `plan ${pool.id} ${planned}`,
    (signal) => api(PoolService).planPoolUpdate({ ...id, ...changedFields(edit.changes) }, { signal }),
    { keepsOld: true, changedBy: eventsAboutPool(pool.id) },
  );
  const isPlanned = planned === wanted && !plan.isLoading;
  const isChanged = Object.keys(edit.changes).length > 0;
  return (
    <div class="columns">
      <section class="card stack" aria-labelledby="settings-title">
        <h2 id="settings-title">Settings</h2>
        <WarningNotice text={unrecordedCallsWarning(pool)} />
        <Violations.Provider value={plan.failure?.violations ?? {}}>
          <SettingsFields
            pool={pool}
            wanted={edit.fields}
            advisedSize={state.value?.explanation.advisedSize}
            onChange={edit.change}
          />
        </Violations.Provider>
        {hasScope("write") ? (
          <ApplyUpdate edit={edit} isPlanned={isPlanned && plan.failure === undefined} />
        ) : (
          <Notice kind="info">Your credential may plan an update, but not apply it: that needs the scope write.</Notice>
        )}
      </section>
      <section class="stack" aria-labelledby="plan-title" aria-busy={!isPlanned}>
        <h2 id="plan-title">{isChanged ? "Effect of this update" : "Without an update"}</h2>
        <PlanView plan={plan} state={state} size={Number(edit.fields.size) || pool.size} />
      </section>
    </div>
  );
}

/** Reads the size from the URL. The link "plan it" sets it to the advised size. */
function sizeOfAddress(): Partial<PoolSettings> {
  const size = route.peek().query.get("size");
  return size === null ? {} : { size };
}
