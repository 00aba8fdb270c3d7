import { ActionFailureNotice } from "../ui/notice";
import { lateActionFailures } from "../ui/use-action";

/** Shows the failures of requests that the user started before leaving a page or closing a dialog. */
export function LateFailureNotices() {
  if (lateActionFailures.value.length === 0) return null;
  return (
    <div class="stack">
      {lateActionFailures.value.map((each, index) => (
        <ActionFailureNotice
          key={index}
          of={each}
          advice="Before you repeat the change, check whether the server has made it."
        />
      ))}
      <p>
        <button type="button" onClick={() => (lateActionFailures.value = [])}>
          Dismiss
        </button>
      </p>
    </div>
  );
}
