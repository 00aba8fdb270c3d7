import { hasScope } from "../api/identity";
import { Page } from "../ui/page";
import { TryCall } from "./try/try-call";
import { TryVisitor } from "./try/try-visitor";

/** Two questions to the service: what a visitor sees, and where a call goes. */
export function TryPage() {
  return (
    <Page title="Try it">
      <div class="columns even">
        <TryVisitor />
        {(hasScope("dni") || hasScope("calls")) && <TryCall />}
      </div>
    </Page>
  );
}
