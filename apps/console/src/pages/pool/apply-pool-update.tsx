import { ActionFailureNotice, Notice } from "../../ui/notice";
import type { ResourceEdit } from "../../ui/use-edit";
import type { PoolFormSettings } from "./pool-form-settings";

interface ApplyUpdateProps {
  readonly edit: ResourceEdit<PoolFormSettings>;
  /** Whether the page shows the plan for the user's current changes. */
  readonly isPlanned: boolean;
}

export function ApplyPoolUpdate({ edit, isPlanned }: ApplyUpdateProps) {
  const isReady = Object.keys(edit.changes).length > 0 && isPlanned && !edit.isRunning;
  return (
    <div class="stack">
      {edit.isApplied && (
        <Notice kind="success" title="Applied">
          {describe(edit.fields)}. The next pass adjusts the call trackers.
        </Notice>
      )}
      <ActionFailureNotice of={edit} />
      <button type="button" class="primary" aria-disabled={!isReady} onClick={() => isReady && edit.run()}>
        Apply update
      </button>
    </div>
  );
}

function describe({ size, utilization, areaCode }: PoolFormSettings): string {
  const parts = [`size ${size}`, utilization === "" ? "" : `utilization ${utilization}`, `area code ${areaCode}`];
  return parts.filter(Boolean).join(", ");
}
