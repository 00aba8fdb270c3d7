import type { Actor } from "@calltrack/domain";
import type { HandlerContext } from "@connectrpc/connect";
import type { ChangeOrigin } from "../database/tables/schema.js";
import { callerKey } from "./caller-context.js";

const ANONYMOUS: Actor = { kind: "anonymous" };

/** Where the changes come from that a request makes. */
export function originOf({ method, values }: Pick<HandlerContext, "method" | "values">): ChangeOrigin {
  return createOrigin(method.name, values.get(callerKey)?.actor ?? ANONYMOUS);
}

/** Where changes come from that somebody makes. */
export function createOrigin(method: string, actor: Actor): ChangeOrigin {
  const origin = { method, actor_kind: actor.kind, actor_name: null, key_prefix: null, issuer: null };
  switch (actor.kind) {
    case "api_key":
      return { ...origin, actor_name: actor.id, key_prefix: actor.prefix };
    case "access_token":
      return { ...origin, actor_name: actor.subject, issuer: actor.issuer };
    case "client_certificate":
      return { ...origin, actor_name: actor.name };
    default:
      return origin;
  }
}
