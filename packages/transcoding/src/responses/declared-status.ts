import type { DescMethod } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { findHttpResponse } from "../rules/http-response.js";

type Detail = ConnectError["details"][number];

/**
 * The HTTP status that a method's `transcoding.v1.http` option gives the failure of which these are the details, by the reason
 * of its `google.rpc.ErrorInfo`; undefined where it says nothing.
 */
export function findDeclaredStatus(method: DescMethod, details: readonly Detail[]): number | undefined {
  const statuses = STATUSES.get(method) ?? readStatuses(method);
  STATUSES.set(method, statuses);
  if (statuses.size === 0) return undefined;
  for (const detail of details) {
    if (!("desc" in detail) || detail.desc.typeName !== ErrorInfoSchema.typeName) continue;
    return statuses.get((detail.value as { readonly reason?: string }).reason ?? "");
  }
  return undefined;
}

/** By reason; read once for each method. */
const STATUSES = new WeakMap<DescMethod, ReadonlyMap<string, number>>();

function readStatuses(method: DescMethod): ReadonlyMap<string, number> {
  const failures = findHttpResponse(method)?.failures ?? [];
  return new Map(failures.filter(({ status }) => status !== 0).map(({ reason, status }) => [reason, status]));
}
