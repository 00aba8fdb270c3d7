import { type Pool, PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { findUnrecordedCallsWarning } from "@calltrack/domain/unrecorded-calls";
import { useEffect } from "preact/hooks";
import { hasScope } from "../../api/caller-identity";
import { createApiClient } from "../../api/client";
import { readServerTime } from "../../api/clock";
import { type LoadedValue, useLoad } from "../../api/use-load";
import { createPoolEventFilter } from "../../events/event-filters";
import { currentRoute, setQueryParameters } from "../../routing/route";
import { FieldViolationsContext } from "../../ui/form-field";
import { Notice, WarningNotice } from "../../ui/notice";
import { useDelayedValue } from "../../ui/use-delayed-value";
import { useEdit } from "../../ui/use-edit";
import { ApplyPoolUpdate } from "./apply-pool-update";
import { type PoolFormSettings, toPoolFormSettings, toPoolUpdateFields } from "./pool-form-settings";
import { PoolPlanView } from "./pool-plan-view";
import { PoolSettingsFields } from "./pool-settings-fields";

const PLAN_DELAY_MS = 200;

/** A pool with its original number, in E.164 format. */
interface PoolWithNumber {
  readonly pool: Pool;
  readonly number: string;
}

interface ResizeTabProps {
  readonly value: PoolWithNumber;
  readonly loaded: LoadedValue<PoolWithNumber>;
}

export function ResizeTab({ value, loaded }: ResizeTabProps) {
  const { pool } = value;
  const id = { accountId: pool.accountToken, poolId: pool.id };
  const edit = useEdit({
    ...{ name: "Updating the pool", loaded, value },
    fieldsOf: (each) => toPoolFormSettings(each.pool),
    send: async (changes) => {
      const request = { ...id, ...toPoolUpdateFields(changes), etag: pool.etag };
      return { ...value, pool: await createApiClient(PoolService).updatePool(request) };
    },
    initial: readSizeInUrl(),
  });
  // A size in the URL is only the initial value. If the size stayed in the URL, a reload of the page would discard the user's changes.
  useEffect(() => setQueryParameters({ size: undefined }), []);
  const wanted = JSON.stringify([pool.etag, edit.changes]);
  const planned = useDelayedValue(wanted, PLAN_DELAY_MS);
  const state = useLoad(
    `state ${pool.id} ${pool.etag}`,
    async (signal) => ({
      explanation: await createApiClient(PoolService).explainPool(id, { signal }),
      now: await readServerTime(signal),
    }),
    { keepsOld: true, changedBy: createPoolEventFilter(pool.id) },
  );
  const plan = useLoad(
    `plan ${pool.id} ${planned}`,
    (signal) => createApiClient(PoolService).planPoolUpdate({ ...id, ...toPoolUpdateFields(edit.changes) }, { signal }),
    { keepsOld: true, changedBy: createPoolEventFilter(pool.id) },
  );
  const isPlanned = planned === wanted && !plan.isLoading;
  const isChanged = Object.keys(edit.changes).length > 0;
  return (
    <div class="columns">
      <section class="card stack" aria-labelledby="settings-title">
        <h2 id="settings-title">Settings</h2>
        <WarningNotice text={findUnrecordedCallsWarning(pool)} />
        <FieldViolationsContext.Provider value={plan.failure?.violations ?? {}}>
          <PoolSettingsFields
            pool={pool}
            wanted={edit.fields}
            advisedSize={state.value?.explanation.advisedSize}
            onChange={edit.change}
          />
        </FieldViolationsContext.Provider>
        {hasScope("write") ? (
          <ApplyPoolUpdate edit={edit} isPlanned={isPlanned && plan.failure === undefined} />
        ) : (
          <Notice kind="info">
            Your credential may plan an update, but not apply it: applying requires the scope write.
          </Notice>
        )}
      </section>
      <section class="stack" aria-labelledby="plan-title" aria-busy={!isPlanned}>
        <h2 id="plan-title">{isChanged ? "Effect of this update" : "Without an update"}</h2>
        <PoolPlanView plan={plan} state={state} size={Number(edit.fields.size) || pool.size} />
      </section>
    </div>
  );
}

/** Reads the size in the URL, which the link "plan it" sets to the advised size. */
function readSizeInUrl(): Partial<PoolFormSettings> {
  const size = currentRoute.peek().query.get("size");
  return size === null ? {} : { size };
}
