import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { api } from "../api/client";
import { caller, hasScope, scopeNames } from "../api/identity";
import { useLoad } from "../api/use-load";
import { Loading } from "../ui/loading";
import { Notice } from "../ui/notice";

/** Asks the server who the caller is, and shows the page only to callers that may read. */
export function WithCaller({ children }: { readonly children: ComponentChildren }) {
  const loaded = useLoad("caller", (signal) => api.callers.whoAmI({}, { signal }));
  useEffect(() => {
    caller.value = loaded.value;
  }, [loaded.value]);
  return (
    <Loading of={loaded} what="your permissions">
      {({ scopes }) => {
        if (caller.value === undefined) return null;
        if (hasScope("read")) return children;
        return (
          <Notice kind="warning" title="This credential cannot read">
            The console needs the scope read. This credential has {scopeNames(scopes).join(", ") || "no scope"}.
          </Notice>
        );
      }}
    </Loading>
  );
}
