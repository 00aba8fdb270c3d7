import type { DescMethod } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { findHttpResponse } from "../rules/http-response.js";
import { createWeakCache } from "../values/weak-cache.js";

type Detail = ConnectError["details"][number];

/**
 * Finds the HTTP status that a method's `transcoding.v1.http` option declares for an error, by the reason of its
 * `google.rpc.ErrorInfo`. Returns undefined if the option declares none.
 */
export function findDeclaredStatus(method: DescMethod, details: readonly Detail[]): number | undefined {
  const statuses = getStatuses(method);
  if (statuses.size === 0) return undefined;
  for (const detail of details) {
    if (!("desc" in detail) || detail.desc.typeName !== ErrorInfoSchema.typeName) continue;
    return statuses.get((detail.value as { readonly reason?: string }).reason ?? "");
  }
  return undefined;
}

/** Returns the statuses by reason. */
const getStatuses = createWeakCache((method: DescMethod): ReadonlyMap<string, number> => {
  const failures = findHttpResponse(method)?.failures ?? [];
  return new Map(failures.filter(({ status }) => status !== 0).map(({ reason, status }) => [reason, status]));
});
