import type { DocumentedFailure, OpenApiSecurity } from "@calltrack/transcoding/openapi";
import { Code } from "@connectrpc/connect";
import type { AuthSettings } from "../config/auth-settings.js";
import type { MethodAccess, MethodAccessLookup, RestrictedAccess } from "./method-access.js";

/** Describes the enabled authentication schemes, and the scopes that each method requires, for the OpenAPI document. */
export function createOpenApiSecurity(
  { keys, issuer, certificates }: AuthSettings,
  accessOf: MethodAccessLookup,
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

/** Lists the authentication and authorization errors that a method can return, for the OpenAPI document. */
export function listDocumentedAuthFailures(
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
  refused("ACCESS_TOKEN_INVALID", "the access token is not signed by the issuer, or is for another service"),
  refused("ACCESS_TOKEN_EXPIRED", "the access token has expired"),
  {
    code: Code.Unavailable,
    reason: "ISSUER_UNAVAILABLE",
    description: "the issuer's public keys are unavailable, so access tokens cannot be verified",
  },
];

const BOUND_CALLER = denied(
  "CALLER_BOUND_TO_ACCOUNT",
  "the caller is bound to one account, but the method accesses data of all accounts",
);

function refused(reason: string, description: string): DocumentedFailure {
  return { code: Code.Unauthenticated, reason, description };
}

function denied(reason: string, description: string): DocumentedFailure {
  return { code: Code.PermissionDenied, reason, description };
}
