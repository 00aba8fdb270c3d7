import { ApiKeyScopeSchema } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { CallerService } from "@calltrack/domain/gen/calltracking/v1/caller_pb";
import type { ComponentChildren } from "preact";
import { api } from "../api/client";
import { caller, hasScope, type Identity } from "../api/identity";
import { useLoad } from "../api/use-load";
import { enumName } from "../format/enum-text";
import { Loading } from "../ui/loading";
import { Notice } from "../ui/notice";

/** Asks the server who the caller is, and shows its children only if the caller has the scope `read`. */
export function WithCaller({ children }: { readonly children: ComponentChildren }) {
  const loaded = useLoad("caller", loadIdentity);
  return (
    <Loading of={loaded} what="your permissions">
      {({ scopes }) => {
        if (hasScope("read")) return children;
        return (
          <Notice kind="warning" title="This credential cannot read">
            The console needs the scope read. This credential has {scopes.join(", ") || "no scope"}. Use a credential
            with the scope read.
          </Notice>
        );
      }}
    </Loading>
  );
}

async function loadIdentity(signal: AbortSignal): Promise<Identity> {
  const { accountToken, description, scopes } = await api(CallerService).whoAmI({}, { signal });
  caller.value = { accountToken, description, scopes: scopes.map((scope) => enumName(ApiKeyScopeSchema, scope)) };
  return caller.value;
}
