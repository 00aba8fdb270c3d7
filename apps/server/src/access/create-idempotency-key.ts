import { hash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { IdempotencyKey } from "../database/idempotency/idempotency-key.js";
import { principalContextKey } from "./principal-context.js";

/**
 * Creates the idempotency key of a request. Returns undefined without a `requestId`. Validate `requestId` first, because this function does not.
 *
 * @param readFields returns all fields of the request, in the order of its proto message.
 */
export function createIdempotencyKey(
  requestId: string | undefined,
  readFields: () => JsonObject,
  { method, values }: Pick<HandlerContext, "method" | "values">,
  accountId: number,
): IdempotencyKey | undefined {
  if (requestId === undefined) return undefined;
  const { requestId: _, ...fields } = readFields();
  return {
    accountId,
    keyHash: sha256(JSON.stringify([values.get(principalContextKey)?.actor, requestId])),
    requestHash: sha256(JSON.stringify([`${method.parent.typeName}.${method.name}`, fields])),
    requestId,
    method,
  };
}

function sha256(content: string): Buffer {
  return hash("sha256", content, "buffer");
}
