import { describe, expect, test } from "vitest";
import { findMisspelledSettings } from "./misspelled-settings.js";
import { LISTED_SETTING_NAMES } from "./setting-help.js";

const find = (variable: string) =>
  findMisspelledSettings([variable], LISTED_SETTING_NAMES).map(
    ({ setting, isCertain }) => `${setting}${isCertain ? "" : "?"}`,
  );

describe("a misspelled setting", () => {
  test.each([
    ["VISIT_TRESHOLD", "VISIT_THRESHOLD"],
    ["VISIT_THRESHOLDS", "VISIT_THRESHOLD"],
    ["VISIT-THRESHOLD", "VISIT_THRESHOLD"],
    ["VISITTHRESHOLD", "VISIT_THRESHOLD"],
    ["visit_threshold", "VISIT_THRESHOLD"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATA_DIRECTORY", undefined],
    ["DATADIR", "DATA_DIR"],
    ["TLS_CERTS", "TLS_CERT"],
    ["LOGLEVEL", "LOG_LEVEL"],
    ["SECRET_KEY", "SECRETS_KEY"],
    ["SECRETS_KEYS", "SECRETS_KEY"],
    ["OIDC_ISSUERS", "OIDC_ISSUER"],
    ["CALL_RETENTIONS", "CALL_RETENTION"],
    ["WORKER", "WORKERS?"],
    ["HOSTS", "HOST?"],
    ["port", "PORT?"],
    ["CLOCKS", "CLOCK?"],
  ])("%s is %s", (variable, setting) => {
    expect(find(variable)).toEqual(setting === undefined ? [] : [setting]);
  });

  test.each([
    ...LISTED_SETTING_NAMES,
    ...[
      "HOME",
      "PATH",
      "PWD",
      "USER",
      "SHELL",
      "TERM",
      "LANG",
      "LOGNAME",
      "HOSTNAME",
      "SHLVL",
      "NODE_ENV",
      "TZ",
      "EDITOR",
    ],
    ...["OPS_SERVICE_HOST", "OPS_PORT_80_TCP", "OPS_PORT_80_TCP_ADDR", "OP_PORT", "BASE_SERVICE_PORT_HTTP"],
    ...["OTEL_SERVICE_NAME", "PGHOST", "npm_config_cache", "KUBERNETES_PORT", "XDG_DATA_DIRS", "DATABASE_NAME"],
  ])("%s is not one", (variable) => expect(find(variable)).toEqual([]));
});
