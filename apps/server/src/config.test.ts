import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { DEFAULT_RULES } from "./call-trackers/pool-rules.js";
import { readConfig } from "./config.js";

const DEFAULTS = {
  host: "127.0.0.1",
  port: 8080,
  workers: 1,
  database: { kind: "embedded", directory: ".data" },
  basePath: "",
  unregisteredNumbers: "refuse",
  poolRules: DEFAULT_RULES,
  managesPools: true,
  hasVirtualClock: false,
  logLevel: "info",
};

const POSTGRES = "postgres://user:p%40ss@db.example:5432/calltrack?sslmode=require";

test("what is unset, and what is empty, has its default", () => {
  expect(readConfig({})).toEqual(DEFAULTS);
  const names = [
    ...["HOST", "PORT", "WORKERS", "DATABASE_URL", "DATA_DIR", "BASE_PATH", "UNREGISTERED_NUMBERS", "LOG_LEVEL"],
    ...["POOL_MINIMUM", "VISIT_THRESHOLD", "VISIT_WINDOW_DAYS", "TIMELINE", "PASS_INTERVAL", "NUMBER_REST"],
    ...["PASSES", "CLOCK"],
  ];
  expect(readConfig(Object.fromEntries(names.map((name) => [name, ""])))).toEqual(DEFAULTS);
});

test.each([
  [{ HOST: "::1" }, { host: "::1" }],
  [{ PORT: "0" }, { port: 0 }],
  [{ PORT: "65535" }, { port: 65_535 }],
  [{ WORKERS: "auto" }, { workers: 1 }],
  [{ WORKERS: "1" }, { workers: 1 }],
  [
    { WORKERS: "128", DATABASE_URL: POSTGRES },
    { workers: 128, database: { processes: 128 } },
  ],
  [{ WORKERS: "auto", DATABASE_URL: POSTGRES }, { workers: availableParallelism() }],
  [{ DATA_DIR: "memory://" }, { database: { kind: "embedded", directory: "memory://" } }],
  [{ DATABASE_URL: POSTGRES }, { database: { kind: "postgres", url: POSTGRES } }],
  [{ DATABASE_URL: "postgresql://localhost/calltrack", DATA_DIR: "x" }, { database: { kind: "postgres" } }],
  [
    { DATABASE_URL: POSTGRES, DATABASE_REPLICA_URL: "postgres://standby/calltrack" },
    { database: { url: POSTGRES, replicaUrl: "postgres://standby/calltrack" } },
  ],
  [{ BASE_PATH: "/api" }, { basePath: "/api" }],
  [{ BASE_PATH: "/a/b-c/v1.0/~d_e" }, { basePath: "/a/b-c/v1.0/~d_e" }],
  [{ UNREGISTERED_NUMBERS: "register" }, { unregisteredNumbers: "register" }],
  [{ LOG_LEVEL: "silent" }, { logLevel: "silent" }],
  [{ POOL_MINIMUM: "0", VISIT_THRESHOLD: "0" }, { poolRules: { minimum: 0, visitThreshold: 0 } }],
  [{ VISIT_WINDOW_DAYS: "7", TIMELINE: "12h" }, { poolRules: { visitWindowDays: 7, timelineMs: 43_200_000 } }],
  [{ PASS_INTERVAL: "500ms", NUMBER_REST: "2d" }, { poolRules: { passIntervalMs: 500, numberRestMs: 172_800_000 } }],
  [
    { PASSES: "off", CLOCK: "virtual" },
    { managesPools: false, hasVirtualClock: true },
  ],
])("%o is taken", (environment, config) => {
  expect(readConfig(environment)).toMatchObject(config);
});
