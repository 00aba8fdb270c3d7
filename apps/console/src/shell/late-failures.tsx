import { ActionFailure } from "../ui/notice";
import { lateFailures } from "../ui/use-action";

/** The failures of what the reader started on a page or in a dialog before leaving it. */
export function LateFailures() {
  if (lateFailures.value.length === 0) return null;
  return (
    <div class="stack">
      {lateFailures.value.map((each, index) => (
        <ActionFailure key={index} of={each} advice="Check whether it was done before you repeat it." />
      ))}
      <p>
        <button type="button" onClick={() => (lateFailures.value = [])}>
          Dismiss
        </button>
      </p>
    </div>
  );
}
