import { parseConnectionUrl } from "@calltrack/postgres/connection-url";
import * as z from "zod/mini";
import { parseClientCertificateScopes } from "./client-certificate-scopes.js";
import { isIssuerUrl } from "./issuer-settings.js";
import { parseHostAndPort } from "./ops-address.js";
import { parsePublicHosts } from "./public-hosts.js";
import { parsePublicUrl } from "./public-url.js";
import { parseRateLimit } from "./rate-limit.js";
import { parseSecretKeys } from "./secret-keys.js";
import {
  createChoiceSchema,
  createCountSchema,
  createDurationSchema,
  createParsingSchema,
  createSchemaErrorOption,
  createSizeSchema,
} from "./setting-formats.js";
import { parseTrustedProxies } from "./trusted-proxies.js";

// Without `jitless`, zod would generate code for the schema, which takes more time than it saves in the single parse at start-up.
z.config({ jitless: true });

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KIB = 1024;
const MIB = 1024 ** 2;

const TEXT = z.string();
/**
 * A text that must not begin or end with white space, such as a line break from the end of a file. A folder with a line break in its name, for example,
 * is another folder, and an audience with a line break never equals the claim of a token.
 */
const TRIMMED_TEXT = TEXT.check(
  z.refine((text) => text === text.trim(), { error: "must not begin or end with white space: remove it", abort: true }),
);
const OFF = z.pipe(
  z.literal("off"),
  z.transform(() => undefined),
);
const RATE_RULE = "be off or a rate such as 100/s, 6000/m or 100000/h";
const RATE = z.union([OFF, createParsingSchema(parseRateLimit, RATE_RULE)], createSchemaErrorOption(RATE_RULE));

const POSTGRES_URL = TRIMMED_TEXT.check(
  z.superRefine((text, context) => {
    try {
      parseConnectionUrl(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
    }
  }),
);

const AUTH_METHODS = /^(?:none|(?:keys|jwt|certs)(?:,(?:keys|jwt|certs))*)$/;

/** Scopes separated by single spaces. Each consists of printable ASCII characters other than `"` and `\` (RFC 6749 section 3.3). */
const OIDC_SCOPES = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;

/** Returns an IPv6 address without the brackets that it has in URLs. Returns other texts unchanged. */
function stripBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

/** Validates each environment variable by itself. In the order of docs/configuration.md. */
export const ENVIRONMENT_VARIABLES_SCHEMA = z.object({
  HOST: z.prefault(z.pipe(TRIMMED_TEXT, z.transform(stripBrackets)), "127.0.0.1"),
  PORT: z.prefault(createCountSchema(0, 65_535), "8080"),
  OPS_PORT: z.optional(
    createParsingSchema(parseHostAndPort, "be a number from 0 to 65535, or a host and port such as 127.0.0.1:9464"),
  ),
  HTTP_SERVER: removed("the server always uses Node's HTTP servers"),
  BASE_PATH: z.prefault(
    TEXT.check(
      z.regex(/^(?:\/[\w.~-]+)*$/, createSchemaErrorOption("start with a slash and not end with one, such as /api")),
    ),
    "",
  ),
  PUBLIC_URL: z.optional(
    createParsingSchema(
      parsePublicUrl,
      "be an http or https URL without user name, query and fragment, such as https://calls.example.com",
      true,
    ),
  ),
  WEBHOOKS_ALLOW_PRIVATE: z.prefault(createChoiceSchema("on", "off"), "off"),
  CONSOLE: z.prefault(createChoiceSchema("on", "off"), "on"),
  WORKERS: z.prefault(
    z.union(
      [z.literal("auto"), createCountSchema(1, 128)],
      createSchemaErrorOption("be auto or a number from 1 to 128"),
    ),
    "1",
  ),
  TLS_CERT: z.optional(TEXT),
  TLS_KEY: z.optional(TEXT),
  TLS_CLIENT_CA: z.optional(TEXT),

  AUTH: z.optional(
    TEXT.check(
      z.regex(AUTH_METHODS, createSchemaErrorOption("be none, or a comma-separated list of keys, jwt and certs")),
    ),
  ),
  PUBLIC_HOSTS: z.optional(
    createParsingSchema(
      parsePublicHosts,
      "be comma-separated hosts without wildcards, each with an optional port, such as calls.example.com,10.0.0.5:8080",
    ),
  ),
  TLS_CLIENT_SCOPES: z.optional(
    createParsingSchema(
      parseClientCertificateScopes,
      "be scopes for all certificates, such as read write dni, or scopes by certificate name, with each name once, such as " +
        "spiffe://example.org/switch=dni; billing.internal=read write",
    ),
  ),
  OIDC_ISSUER: z.optional(
    TRIMMED_TEXT.check(z.refine(isIssuerUrl, "must be a URL without a user name, such as https://login.example.com")),
  ),
  OIDC_AUDIENCE: z.optional(TRIMMED_TEXT),
  OIDC_SCOPE_CLAIM: z.optional(TRIMMED_TEXT),
  OIDC_ACCOUNT_CLAIM: z.optional(TRIMMED_TEXT),
  OIDC_CLIENT_ID: z.optional(TRIMMED_TEXT),
  OIDC_SCOPE: z.optional(
    TEXT.check(z.regex(OIDC_SCOPES, createSchemaErrorOption("be scopes separated by single spaces"))),
  ),

  MAX_BODY_SIZE: z.prefault(createSizeSchema(KIB, 256 * MIB), "4MiB"),
  REQUEST_TIMEOUT: z.prefault(createDurationSchema(100, HOUR_MS), "60s"),
  MAX_REQUESTS: z.prefault(
    z.union([OFF, createCountSchema(1)], createSchemaErrorOption("be off or a number from 1 to 1000000")),
    "256",
  ),
  RATE_LIMIT_CALLER: z.prefault(RATE, "off"),
  RATE_LIMIT_ADDRESS: z.prefault(RATE, "off"),
  TRUSTED_PROXIES: z.prefault(
    createParsingSchema(
      parseTrustedProxies,
      "be comma-separated IP addresses or networks, such as 10.0.0.0/8,2001:db8::1",
    ),
    "",
  ),

  DATABASE_URL: z.optional(POSTGRES_URL),
  DATABASE_REPLICA_URL: removed(
    "use a standby for failover, or a Citus cluster for more load than one server can handle",
  ),
  DATA_DIR: z.prefault(TRIMMED_TEXT, ".data"),
  SECRETS_KEY: z.optional(
    createParsingSchema(
      parseSecretKeys,
      "be one or more keys of 32 bytes in base64, separated by commas: openssl rand -base64 32 prints one",
      true,
    ),
  ),

  UNREGISTERED_NUMBERS: z.prefault(createChoiceSchema("refuse", "register"), "refuse"),
  POOL_MINIMUM: z.prefault(createCountSchema(0), "1"),
  VISIT_THRESHOLD: z.prefault(createCountSchema(0), "100"),
  VISIT_WINDOW_DAYS: z.prefault(createCountSchema(1), "30"),
  GRACE_PERIOD: z.optional(createDurationSchema()),
  // The name of GRACE_PERIOD in earlier releases.
  TIMELINE: z.optional(createDurationSchema()),
  NUMBER_REST: z.prefault(createDurationSchema(), "0s"),
  PASS_INTERVAL: z.prefault(createDurationSchema(1), "60s"),
  PASSES: z.prefault(createChoiceSchema("on", "off"), "on"),
  CLOCK: z.prefault(createChoiceSchema("real", "virtual"), "real"),

  CALL_RETENTION: z.prefault(createDurationSchema(1), "400d"),
  HISTORY_RETENTION: z.prefault(createDurationSchema(1), "800d"),
  EVENT_RETENTION: z.prefault(createDurationSchema(DAY_MS, 400 * DAY_MS), "30d"),
  CALLER_NUMBERS: z.prefault(createChoiceSchema("keep", "hash"), "keep"),

  LOG_LEVEL: z.prefault(createChoiceSchema("fatal", "error", "warn", "info", "debug", "trace", "silent"), "info"),
  AUDIT_RETENTION: z.prefault(createDurationSchema(1), "400d"),

  // OpenTelemetry reads its variables itself. The server reads OTEL_SDK_DISABLED and the variables after it only to decide whether to load
  // OpenTelemetry.
  OTEL_SDK_DISABLED: z.optional(TEXT),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(TEXT),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.optional(TEXT),
  OTEL_TRACES_EXPORTER: z.optional(TEXT),
});

/** Creates the schema of a variable from an earlier release. The variable must not be set, because it no longer has an effect. */
function removed(advice: string) {
  return z.optional(z.never({ error: `must not be set, because it was removed: ${advice}` }));
}
