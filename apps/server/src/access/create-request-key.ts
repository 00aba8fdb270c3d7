import { hash } from "node:crypto";
import { type Message, toBinary } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { RequestKey } from "../database/idempotency/request-key.js";
import { principalKey } from "./principal-context.js";

/** Creates the key of a request; undefined without a `requestId`. The domain's parser has already validated the id. */
export function createRequestKey(
  requestId: string | undefined,
  request: Message,
  { method, values }: Pick<HandlerContext, "method" | "values">,
  accountId: number,
): RequestKey | undefined {
  if (requestId === undefined) return undefined;
  const content = toBinary(method.input, { ...request, requestId: undefined } as Message);
  return {
    accountId,
    keyHash: sha256(JSON.stringify([values.get(principalKey)?.actor, requestId])),
    requestHash: sha256(Buffer.concat([Buffer.from(`${method.parent.typeName}.${method.name}\n`), content])),
    requestId,
    method,
  };
}

function sha256(content: string | Buffer): Buffer {
  return hash("sha256", content, "buffer");
}
