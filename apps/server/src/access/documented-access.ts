import type { DocumentedFailure, OpenApiSecurity } from "@calltrack/transcoding/openapi";
import { Code } from "@connectrpc/connect";
import type { AuthSettings } from "../config/auth-settings.js";
import type { AccessRules, MethodAccess, RestrictedAccess } from "./method-access.js";

/** Describes the authentication schemes and the required scopes for the OpenAPI document. */
export function documentedSecurity(
  { keys, issuer, certificates }: AuthSettings,
  accessOf: AccessRules,
): OpenApiSecurity {
  const credentials = [keys ? "an API key (`ct_…`)" : [], issuer ? `an access token of ${issuer.issuer}` : []].flat();
  const bearer = { type: "http", scheme: "bearer", description: `Send ${credentials.join(" or ")}.` } as const;
  const certificate = { type: "mutualTLS", description: "Connect with a client certificate." } as const;
  return {
    schemes: { ...(credentials.length > 0 && { bearer }), ...(certificates && { certificate }) },
    scopesOf(method) {
      const access = accessOf(method);
      if (access === "public") return undefined;
      const { scope, orScope } = access;
      return scope === "any" ? [] : [scope, ...(orScope === undefined ? [] : [orScope])];
    },
  };
}

/** Describes the authentication and authorization failures of a method for the OpenAPI document. */
export function documentedAuthFailures(
  { keys, issuer }: AuthSettings,
  access: MethodAccess,
): readonly DocumentedFailure[] {
  if (access === "public") return [];
  return [
    UNAUTHENTICATED,
    ...(keys ? KEY_FAILURES : []),
    ...(issuer ? TOKEN_FAILURES : []),
    ...(access.scope === "any" ? [] : [denied("SCOPE_MISSING", `the caller lacks the scope ${scopesText(access)}`)]),
    ...(access.reach === "service" ? [BOUND_CALLER] : []),
  ];
}

function scopesText({ scope, orScope }: RestrictedAccess): string {
  return orScope === undefined ? `\`${scope}\`` : `\`${scope}\` or \`${orScope}\``;
}

const UNAUTHENTICATED = refused("UNAUTHENTICATED", "the request has no credentials");

const KEY_FAILURES = [
  refused("API_KEY_INVALID", "the API key is not valid"),
  refused("API_KEY_EXPIRED", "the API key has expired"),
  refused("API_KEY_REVOKED", "the API key was revoked"),
];

const TOKEN_FAILURES: readonly DocumentedFailure[] = [
  refused("ACCESS_TOKEN_INVALID", "the access token is not signed by the issuer or not meant for this service"),
  refused("ACCESS_TOKEN_EXPIRED", "the access token has expired"),
  { code: Code.Unavailable, reason: "ISSUER_UNAVAILABLE", description: "the issuer's keys are unavailable" },
];

const BOUND_CALLER = denied(
  "CALLER_BOUND_TO_ACCOUNT",
  "the caller is bound to an account, but the method is not limited to one account",
);

function refused(reason: string, description: string): DocumentedFailure {
  return { code: Code.Unauthenticated, reason, description };
}

function denied(reason: string, description: string): DocumentedFailure {
  return { code: Code.PermissionDenied, reason, description };
}
