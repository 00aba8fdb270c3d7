import { hasScope } from "../api/identity";
import { Page } from "../ui/page";
import { TryCall } from "./try/try-call";
import { TryVisitor } from "./try/try-visitor";

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
