import * as z from "zod/mini";
import { isLoopbackHost } from "./loopback-host.js";
import { readTlsFiles, TlsFileError } from "./tls-files.js";
import { ENVIRONMENT_VARIABLES_SCHEMA } from "./variables.js";

/** The parsed values of all settings. A value is undefined if its variable is unset and has no default. */
export type Settings = z.infer<typeof ENVIRONMENT_VARIABLES_SCHEMA>;

const AUTH_REQUIRED =
  "must be set because HOST accepts connections from other machines: set it to keys (calltrack-server create-admin-key creates the first key), " +
  "jwt, certs, or none, which gives everyone who can reach the server full access";

const NAMES = Object.keys(ENVIRONMENT_VARIABLES_SCHEMA.shape) as (keyof Settings)[];

const TLS_VARIABLES = { certFile: "TLS_CERT", keyFile: "TLS_KEY", clientCaFile: "TLS_CLIENT_CA" } as const;

/** Validates each variable, and the rules that involve several variables. */
export const SETTINGS_SCHEMA = ENVIRONMENT_VARIABLES_SCHEMA.check(
  rule("AUTH", ({ AUTH, HOST }) => AUTH || isLoopbackHost(HOST), AUTH_REQUIRED),
  rule(
    "PUBLIC_HOSTS",
    (settings) => !settings.PUBLIC_HOSTS || uses(settings, "none"),
    "must not be set unless AUTH is none: callers that authenticate may use any host",
  ),
  rule(
    "OPS_PORT",
    ({ OPS_PORT, HOST, PORT }) => !OPS_PORT?.port || OPS_PORT.port !== PORT || (OPS_PORT.host ?? HOST) !== HOST,
    "must be another port than PORT: the API and the metrics need separate ports",
  ),
  required("jwt", "OIDC_ISSUER", "the URL of the issuer of access tokens, such as https://login.example.com"),
  required("jwt", "OIDC_AUDIENCE", "the audience (aud claim) of access tokens for this service"),
  ...NAMES.filter((name) => name.startsWith("OIDC_")).map((name) => onlyWith("jwt", name)),
  rule(
    "OIDC_CLIENT_ID",
    ({ OIDC_CLIENT_ID, OIDC_AUDIENCE }) => !OIDC_CLIENT_ID || OIDC_CLIENT_ID !== OIDC_AUDIENCE,
    // `requireAccessToken` cannot recognize every ID token, because some issuers omit the claims that distinguish ID tokens.
    "must differ from OIDC_AUDIENCE: otherwise ID tokens, whose audience is the client, would pass as access tokens",
  ),
  required("certs", "TLS_CLIENT_CA", "a PEM file of the certificate authorities that issue client certificates"),
  onlyWith("certs", "TLS_CLIENT_CA"),
  onlyWith("certs", "TLS_CLIENT_SCOPES"),
  rule(
    "TLS_CLIENT_CA",
    ({ TLS_CERT, TLS_KEY, TLS_CLIENT_CA }) => TLS_CERT || TLS_KEY || !TLS_CLIENT_CA,
    "must not be set without TLS_CERT and TLS_KEY: client certificates require TLS",
  ),
  rule(
    "TLS_KEY",
    ({ TLS_CERT, TLS_KEY }) => TLS_KEY || !TLS_CERT,
    "must be set to the file of the private key for the certificate in TLS_CERT",
  ),
  rule(
    "TLS_CERT",
    ({ TLS_CERT, TLS_KEY }) => TLS_CERT || !TLS_KEY,
    "must be set to the file of the certificate for the private key in TLS_KEY",
  ),
  // Checks the files even if other settings are invalid, so that operators see all problems at once.
  z.superRefine(checkTlsFiles, { when: () => true }),
  rule(
    "TIMELINE",
    ({ TIMELINE, GRACE_PERIOD }) => TIMELINE === undefined || GRACE_PERIOD === undefined || TIMELINE === GRACE_PERIOD,
    "must not be set together with GRACE_PERIOD, which is its new name: unset TIMELINE",
  ),
  rule(
    "WORKERS",
    ({ WORKERS, DATABASE_URL }) => DATABASE_URL || WORKERS === 1 || WORKERS === "auto",
    "must be 1 without DATABASE_URL: the embedded database supports one process only",
  ),
);

/**
 * Creates a rule for a variable whose valid values depend on other variables. The rule applies even if other variables are invalid, so that operators
 * see all problems at once. The value of an invalid variable is its unparsed text.
 *
 * @param error completes the sentence that begins with the variable's name.
 */
function rule(variable: keyof Settings, isMet: (settings: Settings) => unknown, error: string) {
  return z.refine<Settings>(isMet, {
    path: [variable],
    error,
    when: ({ issues }) => !issues.some(({ path }) => path?.[0] === variable),
  });
}

/** Creates the rule that a variable must be set if AUTH includes an authentication method. `what` describes the value to set. */
function required(method: string, variable: keyof Settings, what: string) {
  return rule(
    variable,
    (settings) => settings[variable] || !uses(settings, method),
    `must be set to ${what}, because AUTH includes ${method}`,
  );
}

/** Creates the rule that a variable must not be set unless AUTH includes an authentication method. */
function onlyWith(method: string, variable: keyof Settings) {
  return rule(
    variable,
    (settings) => !settings[variable] || uses(settings, method),
    `must not be set unless AUTH includes ${method}`,
  );
}

function uses({ AUTH = "none" }: Settings, method: string): boolean {
  return AUTH.includes(method);
}

function checkTlsFiles({ TLS_CERT, TLS_KEY, TLS_CLIENT_CA }: Settings, context: z.core.$RefinementCtx<Settings>): void {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return;
  try {
    readTlsFiles({ certFile: TLS_CERT, keyFile: TLS_KEY, clientCaFile: TLS_CLIENT_CA });
  } catch (error) {
    if (!(error instanceof TlsFileError)) throw error;
    const path = [error.files.map((file) => TLS_VARIABLES[file]).join(" and ")];
    context.addIssue({ code: "custom", path, message: error.message });
  }
}
