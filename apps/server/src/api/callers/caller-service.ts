import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Principal, SCOPES } from "@calltrack/domain";
import { CallerSchema, CredentialKind } from "@calltrack/domain/gen/calltracking/v1/caller_pb";
import { readChangeOrigin } from "../../access/change-origin.js";
import { principalContextKey } from "../../access/principal-context.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { createStoredEnum } from "../../database/stored-enum.js";
import { findApiKey, toApiKeyScopes } from "../api-keys/api-key-repository.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import type { CALLER_METHODS } from "./caller-methods.js";

/** The kind of credential in responses, keyed by the kind of actor in the audit log. */
const CREDENTIALS = {
  ...createStoredEnum(CredentialKind),
  anonymous: CredentialKind.NONE,
  operator: CredentialKind.NONE,
};

/** If the server requires no authentication, every client may do everything. */
const WITHOUT_AUTHENTICATION: Omit<Principal, "actor"> = { scopes: new Set(["admin"]), account: undefined };

export function createCallerService({ db }: Pick<DatabaseAccess, "db">): ServiceImplementation<typeof CALLER_METHODS> {
  return {
    async whoAmI(_, { context }) {
      const { scopes, account, expiresAt } = context.values.get(principalContextKey) ?? WITHOUT_AUTHENTICATION;
      const { actor_kind: kind, actor_name: id, issuer } = readChangeOrigin(context);
      const key = kind === "api_key" && id ? await findApiKey(db, id) : undefined;
      return create(CallerSchema, {
        credential: CREDENTIALS[kind],
        id: id ?? undefined,
        issuer: issuer ?? undefined,
        description: key?.description,
        scopes: toApiKeyScopes(SCOPES.filter((scope) => scopes.has(scope))),
        accountToken: account?.token,
        expiresAt: expiresAt && timestampFromDate(expiresAt),
      });
    },
  };
}
