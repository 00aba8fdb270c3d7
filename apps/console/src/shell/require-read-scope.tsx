import { ApiKeyScopeSchema } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { CallerService } from "@calltrack/domain/gen/calltracking/v1/caller_pb";
import type { ComponentChildren } from "preact";
import { type CallerIdentity, callerIdentity, hasScope } from "../api/caller-identity";
import { createApiClient } from "../api/client";
import { useLoad } from "../api/use-load";
import { getEnumValueName } from "../format/enum-text";
import { LoadedView } from "../ui/loaded-view";
import { Notice } from "../ui/notice";

/** Loads the user's identity from the server. Shows the children only if the user has the scope `read`. */
export function RequireReadScope({ children }: { readonly children: ComponentChildren }) {
  const loaded = useLoad("caller", loadIdentity);
  return (
    <LoadedView of={loaded} what="your permissions">
      {({ scopes }) => {
        if (hasScope("read")) return children;
        return (
          <Notice kind="warning" title="This credential lacks the scope read">
            The console needs the scope read. This credential has {scopes.join(", ") || "no scope"}. Use a credential
            with the scope read.
          </Notice>
        );
      }}
    </LoadedView>
  );
}

async function loadIdentity(signal: AbortSignal): Promise<CallerIdentity> {
  const { accountToken, description, scopes } = await createApiClient(CallerService).whoAmI({}, { signal });
  callerIdentity.value = {
    accountToken,
    description,
    scopes: scopes.map((scope) => getEnumValueName(ApiKeyScopeSchema, scope)),
  };
  return callerIdentity.value;
}
