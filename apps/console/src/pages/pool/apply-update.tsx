import { ActionFailure, Notice } from "../../ui/notice";
import type { Edit } from "../../ui/use-edit";
import type { PoolSettings } from "./pool-settings";

interface ApplyUpdateProps {
  readonly edit: Edit<PoolSettings>;
  /** Whether the page shows the plan for exactly these changes. */
  readonly isPlanned: boolean;
}

export function ApplyUpdate({ edit, isPlanned }: ApplyUpdateProps) {
  const isChanged = Object.keys(edit.changes).length > 0;
  return (
    <div class="stack">
      {edit.isApplied && (
        <Notice kind="success" title="Applied">
          {describe(edit.fields)}. The next pass adjusts the call trackers.
        </Notice>
      )}
      <ActionFailure of={edit} />
      <button
        type="button"
        class="primary"
        disabled={!isChanged || !isPlanned || edit.isRunning}
        onClick={() => edit.run()}
      >
        Apply update
      </button>
    </div>
  );
}

function describe({ size, utilization, areaCode }: PoolSettings): string {
  const parts = [`size ${size}`, utilization === "" ? "" : `utilization ${utilization}`, `area code ${areaCode}`];
  return parts.filter(Boolean).join(", ");
}
