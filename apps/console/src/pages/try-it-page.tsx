import { hasScope } from "../api/caller-identity";
import { Page } from "../ui/page";
import { ResolveCallForm } from "./try/resolve-call-form";
import { ResolveNumbersForm } from "./try/resolve-numbers-form";

export function TryItPage() {
  return (
    <Page title="Try it">
      <div class="columns even">
        <ResolveNumbersForm />
        {(hasScope("dni") || hasScope("calls")) && <ResolveCallForm />}
      </div>
    </Page>
  );
}
