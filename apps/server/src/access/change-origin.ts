import type { PrincipalIdentity } from "@calltrack/domain";
import type { HandlerContext } from "@connectrpc/connect";
import type { ChangeOrigin } from "../database/tables/schema.js";
import { principalContextKey } from "./principal-context.js";

const ANONYMOUS: PrincipalIdentity = { kind: "anonymous" };

/** Returns the columns of the audit log that record the method and the principal of a request. */
export function readChangeOrigin({ method, values }: Pick<HandlerContext, "method" | "values">): ChangeOrigin {
  return createChangeOrigin(method.name, values.get(principalContextKey)?.actor ?? ANONYMOUS);
}

/** Returns the columns of the audit log that record who makes a change, and with which method. */
export function createChangeOrigin(method: string, actor: PrincipalIdentity): ChangeOrigin {
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
