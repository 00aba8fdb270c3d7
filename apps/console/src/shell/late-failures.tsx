import { ActionFailure } from "../ui/notice";
import { lateFailures } from "../ui/use-action";

/** Shows the failures of requests that the user started before leaving a page or closing a dialog. */
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
