import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { expect, test } from "vitest";
import { createCertificate } from "../testing/certificate.js";
import { readConfig } from "./config.js";
import { ConfigError } from "./config-error.js";
import { createLimitsSettings } from "./limits-settings.js";
import { SETTINGS_SCHEMA } from "./settings.js";

const DEFAULTS = {
  host: "127.0.0.1",
  port: 8080,
  workers: 1,
  tls: undefined,
  auth: undefined,
  publicHosts: [],
  limits: { ...createLimitsSettings(SETTINGS_SCHEMA.parse({})), trustedProxies: expect.any(Function) },
  database: { kind: "embedded", directory: ".data" },
  dataDirectory: ".data",
  secretKeys: undefined,
  publicUrl: "http://localhost:8080",
  basePath: "",
  allowsPrivateWebhooks: false,
  unregisteredNumbers: "refuse",
  poolRules: {
    minimum: 1,
    visitThreshold: 100,
    visitWindowDays: 30,
    gracePeriodMs: 2_592_000_000,
    passIntervalMs: 60_000,
    numberRestMs: 0,
  },
  hasConsole: true,
  auditRetentionMs: 34_560_000_000,
  callRetentionMs: 34_560_000_000,
  eventRetentionMs: 2_592_000_000,
  historyRetentionMs: 69_120_000_000,
  callerNumbers: "keep",
  managesPools: true,
  hasVirtualClock: false,
  logLevel: "info",
  isTracingEnabled: false,
  advice: [],
};

const SECRET_KEY = Buffer.alloc(32, 251);

const POSTGRES = "postgres://user:p%40ss@db.example:5432/calltrack?sslmode=require";

test("unset and empty variables have default values", () => {
  expect(readConfig({})).toEqual(DEFAULTS);
  const names = [
    ...["HOST", "PORT", "WORKERS", "DATABASE_URL", "DATA_DIR", "BASE_PATH", "UNREGISTERED_NUMBERS", "LOG_LEVEL"],
    ...["POOL_MINIMUM", "VISIT_THRESHOLD", "VISIT_WINDOW_DAYS", "GRACE_PERIOD", "PASS_INTERVAL", "NUMBER_REST"],
    "AUDIT_RETENTION",
    "CALL_RETENTION",
    "EVENT_RETENTION",
    "HISTORY_RETENTION",
    "CALLER_NUMBERS",
    ...["PASSES", "CLOCK", "AUTH", "OIDC_ISSUER", "OIDC_AUDIENCE", "OIDC_SCOPE_CLAIM", "OIDC_ACCOUNT_CLAIM"],
    ...["OIDC_CLIENT_ID", "OIDC_SCOPE", "CONSOLE", "OPS_PORT", "PUBLIC_HOSTS", "PUBLIC_URL", "SECRETS_KEY"],
  ];
  expect(readConfig(Object.fromEntries(names.map((name) => [name, ""])))).toEqual(DEFAULTS);
});

test.each([
  [{ HOST: "::1" }, { host: "::1" }],
  [{ HOST: "[::1]" }, { host: "::1" }],
  [{ PORT: "0" }, { port: 0, publicUrl: undefined }],
  [{ PORT: "65535" }, { port: 65_535 }],
  [{ CONSOLE: "off" }, { hasConsole: false }],
  [{ WEBHOOKS_ALLOW_PRIVATE: "on" }, { allowsPrivateWebhooks: true }],
  [{ PUBLIC_HOSTS: "Calls.Example.COM" }, { publicHosts: [{ name: "calls.example.com", port: "" }] }],
  [
    { PUBLIC_HOSTS: "a:8443, 10.0.0.5,[::1]:80 ,bücher.example", AUTH: "none" },
    {
      publicHosts: [
        { name: "a", port: "8443" },
        { name: "10.0.0.5", port: "" },
        { name: "[::1]", port: "80" },
        { name: "xn--bcher-kva.example", port: "" },
      ],
    },
  ],
  [{ WORKERS: "auto" }, { workers: 1 }],
  [{ WORKERS: "1" }, { workers: 1 }],
  [
    { WORKERS: "128", DATABASE_URL: POSTGRES },
    { workers: 128, database: { processes: 128 } },
  ],
  [{ WORKERS: "auto", DATABASE_URL: POSTGRES }, { workers: availableParallelism() }],
  [{ DATA_DIR: "memory://" }, { database: { kind: "embedded", directory: "memory://" }, dataDirectory: "memory://" }],
  [{ DATABASE_URL: POSTGRES }, { database: { kind: "postgres", url: POSTGRES } }],
  [
    { DATABASE_URL: "postgresql://localhost/calltrack", DATA_DIR: "x" },
    { database: { kind: "postgres" }, dataDirectory: "x" },
  ],
  [{ BASE_PATH: "/api" }, { basePath: "/api", publicUrl: "http://localhost:8080/api" }],
  [{ PUBLIC_URL: "https://Calls.example/" }, { publicUrl: "https://calls.example" }],
  [{ PUBLIC_URL: "http://127.0.0.1:8080/a/b//" }, { publicUrl: "http://127.0.0.1:8080/a/b" }],
  [{ SECRETS_KEY: SECRET_KEY.toString("base64") }, { secretKeys: [SECRET_KEY] }],
  [
    { SECRETS_KEY: `${Buffer.alloc(32).toString("base64")} , ${SECRET_KEY.toString("base64")}` },
    { secretKeys: [Buffer.alloc(32), SECRET_KEY] },
  ],
  [{ BASE_PATH: "/a/b-c/v1.0/~d_e" }, { basePath: "/a/b-c/v1.0/~d_e" }],
  [{ UNREGISTERED_NUMBERS: "register" }, { unregisteredNumbers: "register" }],
  [{ LOG_LEVEL: "silent" }, { logLevel: "silent" }],
  [{ OPS_PORT: "9464" }, { ops: { host: "127.0.0.1", port: 9464 } }],
  [{ OPS_PORT: "0", HOST: "::1" }, { ops: { host: "::1", port: 0 } }],
  // Kubernetes sets OPS_PORT to such a value for a service named ops.
  [{ OPS_PORT: "tcp://10.96.0.1:9464" }, { ops: undefined }],
  [{ OPS_PORT: "udp://[fd00::1]:53" }, { ops: undefined }],
  [{ OPS_PORT: "0.0.0.0:9464" }, { ops: { host: "0.0.0.0", port: 9464 } }],
  [{ OPS_PORT: "[::1]:9464" }, { ops: { host: "::1", port: 9464 } }],
  [{ OPS_PORT: "10.0.0.5:8080" }, { ops: { host: "10.0.0.5", port: 8080 } }],
  [{ OPS_PORT: "0", PORT: "0" }, { ops: { host: "127.0.0.1", port: 0 } }],
  [{ POOL_MINIMUM: "0", VISIT_THRESHOLD: "0" }, { poolRules: { minimum: 0, visitThreshold: 0 } }],
  [{ VISIT_WINDOW_DAYS: "7", GRACE_PERIOD: "12h" }, { poolRules: { visitWindowDays: 7, gracePeriodMs: 43_200_000 } }],
  [
    { TIMELINE: "12h" },
    {
      poolRules: { gracePeriodMs: 43_200_000 },
      advice: ["TIMELINE is now called GRACE_PERIOD: rename the setting"],
    },
  ],
  [
    { HOST: "0.0.0.0", AUTH: "keys" },
    { publicUrl: undefined, advice: [expect.stringMatching(/^PUBLIC_URL is unset: /)] },
  ],
  [{ DATABASE_URL: POSTGRES }, { advice: [expect.stringMatching(/^SECRETS_KEY is unset: /)] }],
  [{ DATABASE_URL: POSTGRES, SECRETS_KEY: SECRET_KEY.toString("base64") }, { advice: [] }],
  [{ TIMELINE: "12h", GRACE_PERIOD: "12h" }, { poolRules: { gracePeriodMs: 43_200_000 } }],
  [{ HISTORY_RETENTION: "900d" }, { historyRetentionMs: 77_760_000_000 }],
  [
    { CALL_RETENTION: "1000d", HISTORY_RETENTION: "900d" },
    { callRetentionMs: 86_400_000_000, historyRetentionMs: 86_400_000_000 },
  ],
  [{ AUDIT_RETENTION: "3660d" }, { auditRetentionMs: 316_224_000_000 }],
  [
    { CALL_RETENTION: "30d", CALLER_NUMBERS: "hash" },
    { callRetentionMs: 2_592_000_000, callerNumbers: "hash" },
  ],
  [{ PASS_INTERVAL: "500ms", NUMBER_REST: "2d" }, { poolRules: { passIntervalMs: 500, numberRestMs: 172_800_000 } }],
  [
    { PASSES: "off", CLOCK: "virtual" },
    { managesPools: false, hasVirtualClock: true },
  ],
])("accepts %o", (environment, config) => {
  expect(readConfig(environment)).toMatchObject(config);
});

test.each([
  ["PORT", "http"],
  ["PORT", "65536"],
  ["PORT", "-1"],
  ["PORT", "80.5"],
  ["PORT", "0x50"],
  ["PORT", " 80"],
  ["WORKERS", "0"],
  ["WORKERS", "all"],
  ["WORKERS", "1.5"],
  ["WORKERS", "129"],
  ["HTTP_SERVER", "own"],
  // Without DATABASE_URL, only one worker is allowed.
  ["WORKERS", "2"],
  ["DATABASE_URL", "mysql://root:secret@localhost/calltrack"],
  ["DATABASE_URL", "localhost:5432/secret"],
  ["DATABASE_REPLICA_URL", "postgres://root:secret@localhost/calltrack"],
  ["BASE_PATH", "api"],
  ["BASE_PATH", "/api/"],
  ["BASE_PATH", "/"],
  ["BASE_PATH", "/a//b"],
  ["BASE_PATH", "/a b"],
  ["BASE_PATH", "/a?b"],
  ["UNREGISTERED_NUMBERS", "maybe"],
  ["UNREGISTERED_NUMBERS", "Register"],
  ["LOG_LEVEL", "loud"],
  ["POOL_MINIMUM", "-1"],
  ["VISIT_THRESHOLD", "many"],
  ["VISIT_WINDOW_DAYS", "0"],
  ["GRACE_PERIOD", "30"],
  ["TIMELINE", "30"],
  ["PASS_INTERVAL", "0s"],
  ["NUMBER_REST", "99999d"],
  ["PASSES", "yes"],
  ["CLOCK", "sundial"],
  ["DATABASE_URL", "postgres://root:secret@localhost/calltrack?pgbouncer=maybe"],
  ["OPS_PORT", "65536"],
  // PORT is 8080 by default.
  ["OPS_PORT", "8080"],
  ["OPS_PORT", "127.0.0.1:8080"],
  ["REQUEST_TIMEOUT", "2h"],
  ["AUTH", "yes"],
  ["OIDC_ISSUER", "https://login.example"],
  ["PUBLIC_URL", "calls.example"],
  ["PUBLIC_URL", "ftp://calls.example"],
  ["PUBLIC_URL", "https://user:secret@calls.example"],
  ["PUBLIC_URL", "https://calls.example/?a"],
  ["SECRETS_KEY", "secret"],
  ["SECRETS_KEY", `secret,${SECRET_KEY.toString("base64")}`],
  ["SECRETS_KEY", `${SECRET_KEY.toString("base64")},`],
  ["SECRETS_KEY", SECRET_KEY.toString("base64url")],
  ["SECRETS_KEY", SECRET_KEY.subarray(1).toString("base64")],
])("%s=%j is rejected with one line that says what to set", (name, value) => {
  const read = () => readConfig({ [name]: value });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(new RegExp(`^${name} must [^\n]+$`));
  expect(read).not.toThrow("secret");
  expect(read).not.toThrow(SECRET_KEY.toString("base64").slice(0, 20));
});

test("rejects variables whose names are almost those of settings, together with other problems", () => {
  expect(() => readConfig({ VISIT_TRESHOLD: "5", PORT: "x", MAX_REQUEST: "" })).toThrow(
    "2 settings are invalid:\n  VISIT_TRESHOLD is not a setting: rename it to VISIT_THRESHOLD, or unset it\n  PORT must be",
  );
  expect(() => readConfig({ DATABASE_URI: "postgres://db/calls" })).toThrow(
    /^DATABASE_URI is not a setting: rename it to DATABASE_URL, or unset it$/,
  );
  expect(readConfig({ HOSTS: "x" }).advice).toEqual(["HOSTS is not a setting: rename it to HOST, or unset it"]);
});

test.each(["TIMEZONE", "HTTPS_SERVER"])("accepts %s, which is similar only to the name of a former setting", (name) => {
  expect(readConfig({ [name]: "x" })).toEqual(DEFAULTS);
});

test("advises about the libpq variables that it ignores, only with PostgreSQL", () => {
  const ignored = { PGOPTIONS: "-c statement_timeout=1", PGSSLMODE: "disable", PGHOST: "" };
  const { advice } = readConfig({ ...ignored, DATABASE_URL: POSTGRES, SECRETS_KEY: SECRET_KEY.toString("base64") });
  expect(advice).toEqual(
    ["PGOPTIONS", "PGSSLMODE"].map((name) => `${name} is ignored: use parameters in DATABASE_URL instead`),
  );
  expect(readConfig(ignored).advice).toEqual([]);
});

test("rejects the former name of a setting with a different value", () => {
  const read = () => readConfig({ TIMELINE: "12h", GRACE_PERIOD: "1d" });
  expect(read).toThrow("TIMELINE must not be set together with GRACE_PERIOD, which is its new name: unset TIMELINE");
});

const FOLDER = createFolder();
const CERTIFICATE = join(FOLDER, "tls.crt");
const TLS = { TLS_CERT: CERTIFICATE, TLS_KEY: join(FOLDER, "tls.key"), TLS_CLIENT_CA: CERTIFICATE };
const pair = await createCertificate("01");
writeFileSync(TLS.TLS_CERT, pair.cert);
writeFileSync(TLS.TLS_KEY, pair.key);

const ISSUER = { OIDC_ISSUER: "https://login.example/tenant", OIDC_AUDIENCE: "calltrack" };

const ISSUER_SETTINGS = {
  issuer: "https://login.example/tenant",
  audience: "calltrack",
  scopeClaim: "scope",
  accountClaim: "",
  signInScope: "openid",
};

test.each([
  [{ AUTH: "none" }, undefined],
  [{ AUTH: "none", HOST: "0.0.0.0" }, undefined],
  [{ HOST: "localhost" }, undefined],
  [{ HOST: "127.1.2.3" }, undefined],
  [{ HOST: "::1" }, undefined],
  [{ AUTH: "keys" }, { keys: true, issuer: undefined }],
  [
    { AUTH: "keys", HOST: "::" },
    { keys: true, issuer: undefined },
  ],
  [
    { AUTH: "jwt", ...ISSUER },
    { keys: false, issuer: ISSUER_SETTINGS },
  ],
  [
    { AUTH: "keys,jwt", ...ISSUER },
    { keys: true, issuer: ISSUER_SETTINGS },
  ],
  [
    { AUTH: "jwt", ...ISSUER, OIDC_CLIENT_ID: "console" },
    { keys: false, issuer: { ...ISSUER_SETTINGS, clientId: "console" } },
  ],
  [
    { AUTH: "jwt", ...ISSUER, OIDC_CLIENT_ID: "console", OIDC_SCOPE: "api://calltrack/.default" },
    { keys: false, issuer: { ...ISSUER_SETTINGS, clientId: "console", signInScope: "api://calltrack/.default" } },
  ],
  [
    { AUTH: "jwt", ...ISSUER, OIDC_SCOPE_CLAIM: "roles", OIDC_ACCOUNT_CLAIM: "tenant" },
    { keys: false, issuer: { ...ISSUER_SETTINGS, scopeClaim: "roles", accountClaim: "tenant" } },
  ],
  [
    { AUTH: "certs", ...TLS },
    { keys: false, certificates: { byName: new Map(), others: new Set(["read", "write", "dni"]) } },
  ],
  [
    { AUTH: "keys,certs", ...TLS, TLS_CLIENT_SCOPES: "read dni" },
    { keys: true, certificates: { byName: new Map(), others: new Set(["read", "dni"]) } },
  ],
  [
    { AUTH: "certs", ...TLS, TLS_CLIENT_SCOPES: "spiffe://a/b=dni; b.c=read write;d=e=admin" },
    {
      keys: false,
      certificates: {
        byName: new Map([
          ["spiffe://a/b", new Set(["dni"])],
          ["b.c", new Set(["read", "write"])],
          ["d=e", new Set(["admin"])],
        ]),
        others: new Set(),
      },
    },
  ],
  [
    { AUTH: "jwt", ...ISSUER, OIDC_ISSUER: "http://127.0.0.1:9000" },
    { keys: false, issuer: { ...ISSUER_SETTINGS, issuer: "http://127.0.0.1:9000" } },
  ],
])("%o configures the authentication %o", (environment, auth) => {
  expect(readConfig(environment).auth).toEqual(auth);
});

test.each([
  [{ HOST: "0.0.0.0" }, "AUTH must be set because HOST accepts connections from other machines: set it to keys"],
  [{ HOST: "::" }, "AUTH must be set"],
  [{ HOST: "localhost.example" }, "AUTH must be set"],
  [{ HOST: "127.0.0.1.example" }, "AUTH must be set"],
  [{ AUTH: "required" }, 'AUTH must be none, or a comma-separated list of keys, jwt and certs, not "required"'],
  [{ AUTH: "none,keys" }, "AUTH must be none"],
  [{ AUTH: "keys, jwt", ...ISSUER }, "AUTH must be none"],
  [{ AUTH: "jwt" }, "OIDC_AUDIENCE must be set to the audience (aud claim) of access tokens for this service"],
  [
    { AUTH: "jwt", OIDC_AUDIENCE: "x" },
    "OIDC_ISSUER must be set to the URL of the issuer of access tokens, such as https://login.example.com, because AUTH includes jwt",
  ],
  [{ AUTH: "jwt", ...ISSUER, OIDC_ISSUER: "login.example" }, "OIDC_ISSUER must be a URL"],
  [{ AUTH: "jwt", ...ISSUER, OIDC_ISSUER: "http://login.example" }, "OIDC_ISSUER must be a URL"],
  [{ AUTH: "jwt", ...ISSUER, OIDC_ISSUER: "https://login.example/?a" }, "OIDC_ISSUER must be a URL"],
  [{ AUTH: "jwt", ...ISSUER, OIDC_ISSUER: "https:login.example" }, "OIDC_ISSUER must be a URL"],
  [{ AUTH: "jwt", ...ISSUER, OIDC_ISSUER: "https://user@login.example" }, "OIDC_ISSUER must be a URL"],
  [{ AUTH: "jwt", ...ISSUER, OIDC_ISSUER: "https://:secret@login.example" }, "OIDC_ISSUER must be a URL"],
  [{ AUTH: "keys", OIDC_ISSUER: "https://login.example" }, "OIDC_ISSUER must not be set unless AUTH includes jwt"],
  [
    { AUTH: "certs" },
    "TLS_CLIENT_CA must be set to a PEM file of the certificate authorities that issue client certificates",
  ],
  [{ AUTH: "certs", TLS_CLIENT_CA: CERTIFICATE }, "TLS_CLIENT_CA must not be set without TLS_CERT and TLS_KEY"],
  [{ AUTH: "keys", ...TLS }, "TLS_CLIENT_CA must not be set unless AUTH includes certs"],
  [{ AUTH: "keys", TLS_CLIENT_SCOPES: "read" }, "TLS_CLIENT_SCOPES must not be set unless AUTH includes certs"],
  [{ AUTH: "certs", ...TLS, TLS_CLIENT_CA: TLS.TLS_KEY }, "TLS_CLIENT_CA must be a PEM file of CA certificates"],
  [{ AUTH: "certs", ...TLS, TLS_CLIENT_CA: "nowhere" }, "TLS_CLIENT_CA must be a readable file: ENOENT"],
  [{ AUTH: "jwt", ...ISSUER, OIDC_CLIENT_ID: ISSUER.OIDC_AUDIENCE }, "OIDC_CLIENT_ID must differ from OIDC_AUDIENCE"],
  [{ AUTH: "keys", PUBLIC_HOSTS: "a" }, "PUBLIC_HOSTS must not be set unless AUTH is none"],
  [{ OIDC_CLIENT_ID: "console" }, "OIDC_CLIENT_ID must not be set unless AUTH includes jwt"],
  [{ CONSOLE: "yes" }, 'CONSOLE must be one of on, off, not "yes"'],
  [
    { CALL_RETENTION: "3661d" },
    'CALL_RETENTION must be a duration from 1ms to 3660d, such as 500ms, 60s, 5m, 12h or 30d, not "3661d"',
  ],
  [
    { EVENT_RETENTION: "12h" },
    'EVENT_RETENTION must be a duration from 1d to 400d, such as 500ms, 60s, 5m, 12h or 30d, not "12h"',
  ],
  [
    { PASS_INTERVAL: "0s" },
    'PASS_INTERVAL must be a duration from 1ms to 3660d, such as 500ms, 60s, 5m, 12h or 30d, not "0s"',
  ],
  [
    { GRACE_PERIOD: "3661d" },
    'GRACE_PERIOD must be a duration from 0d to 3660d, such as 500ms, 60s, 5m, 12h or 30d, not "3661d"',
  ],
  [
    { REQUEST_TIMEOUT: "1.5s" },
    'REQUEST_TIMEOUT must be a duration from 100ms to 1h, such as 500ms, 60s, 5m, 12h or 30d, not "1.5s"',
  ],
  [{ MAX_BODY_SIZE: "1GiB" }, 'MAX_BODY_SIZE must be a size from 1KiB to 256MiB, such as 64KiB or 4MiB, not "1GiB"'],
  [{ OIDC_ACCOUNT_CLAIM: "tenant" }, "OIDC_ACCOUNT_CLAIM must not be set unless AUTH includes jwt"],
])("rejects %o: %s", (environment, message) => {
  expect(() => readConfig(environment)).toThrow(message);
});

test.each(["*", "*.example", "a,", "a b", "http://a", "a/b", "a:", "a:99999", "::1", "[::1", "a@b", "a?b", "%"])(
  "rejects PUBLIC_HOSTS=%j",
  (hosts) => {
    expect(() => readConfig({ PUBLIC_HOSTS: hosts })).toThrow(
      "PUBLIC_HOSTS must be comma-separated hosts without wildcards, each with",
    );
  },
);

test.each(['open"id', "openid  read", " openid", "öffnen", "a\\b"])("rejects OIDC_SCOPE=%j", (scope) => {
  const environment = { AUTH: "jwt", ...ISSUER, OIDC_SCOPE: scope };
  expect(() => readConfig(environment)).toThrow("OIDC_SCOPE must be scopes separated by single spaces, not");
});

test.each(["all", "a=", "=read", "read,write", "a=read;a=write", "read;write", "a=read;", "read  write"])(
  "rejects TLS_CLIENT_SCOPES=%j",
  (scopes) => {
    const environment = { AUTH: "certs", ...TLS, TLS_CLIENT_SCOPES: scopes };
    expect(() => readConfig(environment)).toThrow(
      "TLS_CLIENT_SCOPES must be scopes for all certificates, such as read write dni, or",
    );
  },
);

test.each([
  [
    { OPS_PORT: "metrics" },
    'OPS_PORT must be a number from 0 to 65535, or a host and port such as 127.0.0.1:9464, not "metrics"',
  ],
  [{ OPS_PORT: "65536" }, "OPS_PORT must be a number"],
  [{ DATABASE_URL: '"postgres://user:password@host/database"' }, 'DATABASE_URL must not be in quotes: remove the "'],
  [{ OIDC_SCOPE: "'openid'" }, "OIDC_SCOPE must not be in quotes: remove the '"],
  [{ AUTH: '"keys"' }, 'AUTH must not be in quotes: remove the "'],
  [{ TLS_CERT: "'a.crt'", TLS_KEY: "b.key" }, "  TLS_CERT must not be in quotes"],
  [{ OPS_PORT: "::1:9464" }, "OPS_PORT must be a number"],
  [{ OPS_PORT: "localhost:" }, "OPS_PORT must be a number"],
])("rejects %o: %s", (environment, message) => {
  expect(() => readConfig(environment)).toThrow(message);
});

// A file with a secret or a setting often ends with a line break, which becomes a part of the variable.
test.each([
  ["HOST", "127.0.0.1\n"],
  ["DATA_DIR", "data\r"],
  ["DATA_DIR", " "],
  ["DATABASE_URL", "postgres://root:secret@localhost/calltrack\n"],
  ["DATABASE_URL", " postgres://root:secret@localhost/calltrack"],
  ["OIDC_ISSUER", "https://login.example/tenant\n"],
  ["OIDC_AUDIENCE", "calltrack\n"],
  ["OIDC_SCOPE_CLAIM", "roles "],
  ["OIDC_ACCOUNT_CLAIM", "\ttenant"],
  ["OIDC_CLIENT_ID", "console\n"],
])("rejects %s=%j, because of the white space", (name, value) => {
  const read = () => readConfig({ AUTH: "jwt", ...ISSUER, [name]: value });
  expect(read).toThrow(new RegExp(`^${name} must not begin or end with white space: remove it[^\n]*$`));
  expect(read).not.toThrow("secret");
});

const TRACED = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

test.each([
  [{ OTEL_SERVICE_NAME: "calltrack" }, false],
  [{ ...TRACED, OTEL_SDK_DISABLED: "true" }, false],
  [{ ...TRACED, OTEL_SDK_DISABLED: "TRUE" }, false],
  [{ ...TRACED, OTEL_SDK_DISABLED: "yes" }, true],
  [{ ...TRACED, OTEL_TRACES_EXPORTER: "none" }, false],
  [TRACED, true],
  [{ OTEL_TRACES_EXPORTER: "otlp" }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector/v1/traces" }, true],
])("%o turns tracing on: %s", (environment, isTracingEnabled) => {
  expect(readConfig(environment)).toMatchObject({ isTracingEnabled });
});

test("reports every invalid setting of a group", () => {
  const read = () => readConfig({ PASSES: "maybe", POOL_MINIMUM: "-1", MAX_BODY_SIZE: "4MB" });
  expect(read).toThrow(
    /^3 settings are invalid:\n {2}MAX_BODY_SIZE must .+\n {2}POOL_MINIMUM must .+\n {2}PASSES must/,
  );
});
