import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Actor, SCOPES } from "@calltrack/domain";
import { ApiKeyScope } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import { CallerSchema, CredentialKind } from "@calltrack/domain/gen/calltracking/v1/caller_pb";
import { principalKey } from "../../access/principal-context.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { apiKeyScopesOf, findApiKey } from "../api-keys/api-key-repository.js";
import type { ServiceOf } from "../methods/method-row.js";
import type { CALLER_METHODS } from "./caller-methods.js";

/** Creates the implementation of CallerService. */
export function createCallerService({ db }: Pick<DatabaseAccess, "db">): ServiceOf<typeof CALLER_METHODS> {
  return {
    async whoAmI(_, { context }) {
      const principal = context.values.get(principalKey);
      if (principal === undefined) return WITHOUT_AUTHENTICATION;
      const { actor, scopes, account, expiresAt } = principal;
      const key = actor.kind === "api_key" ? await findApiKey(db, actor.id) : undefined;
      return create(CallerSchema, {
        ...identityOf(actor),
        description: key?.description,
        scopes: apiKeyScopesOf(SCOPES.filter((scope) => scopes.has(scope))),
        accountToken: account?.token,
        expiresAt: expiresAt && timestampFromDate(expiresAt),
      });
    },
  };
}

const WITHOUT_AUTHENTICATION = create(CallerSchema, {
  credential: CredentialKind.NONE,
  scopes: [ApiKeyScope.ADMIN],
});

function identityOf(actor: Actor) {
  switch (actor.kind) {
    case "api_key":
      return { credential: CredentialKind.API_KEY, id: actor.id };
    case "access_token":
      return { credential: CredentialKind.ACCESS_TOKEN, id: actor.subject, issuer: actor.issuer };
    case "client_certificate":
      return { credential: CredentialKind.CLIENT_CERTIFICATE, id: actor.name };
    default:
      return { credential: CredentialKind.NONE };
  }
}
