import { hash } from "node:crypto";
import { type DescMethod, type Message, toBinary } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { callerKey } from "../../access/caller-context.js";

/** Identifies a request that may be retried. */
export interface RequestKey {
  /** The account of the request; `NO_ACCOUNT` if it has none. */
  readonly accountId: number;
  /** Hash of the caller and the request id, so that request ids of different callers never collide. */
  readonly keyHash: Buffer;
  /** Hash of the method and the request, to detect an id that is reused for another request. */
  readonly requestHash: Buffer;
  readonly requestId: string;
  readonly method: DescMethod;
}

/** Account id for requests without an account. No account has this id. */
export const NO_ACCOUNT = 0;

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
    keyHash: sha256(JSON.stringify([values.get(callerKey)?.actor, requestId])),
    requestHash: sha256(Buffer.concat([Buffer.from(`${method.parent.typeName}.${method.name}\n`), content])),
    requestId,
    method,
  };
}

function sha256(content: string | Buffer): Buffer {
  return hash("sha256", content, "buffer");
}
