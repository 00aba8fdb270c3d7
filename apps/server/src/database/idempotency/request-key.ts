import { hash } from "node:crypto";
import { type DescMethod, type Message, toBinary } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { callerKey } from "../../access/caller-context.js";

/** What tells a request that may be sent again from others. */
export interface RequestKey {
  /** The account that it is about; `NO_ACCOUNT` if it is about none. */
  readonly accountId: number;
  /** The caller and the request's id: nobody else's id is the same. */
  readonly keyHash: Buffer;
  /** The method and the request: under its id, no other is the same. */
  readonly requestHash: Buffer;
  readonly requestId: string;
  readonly method: DescMethod;
}

/** In place of the account of what is of none: no account has this id. */
export const NO_ACCOUNT = 0;

/** The key of a request; undefined without a `requestId`, which a parser of the domain has read. */
export function requestKey(
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
