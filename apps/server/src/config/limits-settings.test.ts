import { expect, test } from "vitest";
import { readConfig } from "./config.js";

test.each([
  [{}, { maxBodyBytes: 4_194_304, maxConnectionsPerAddress: 512, maxRequests: 256, idleTimeoutMs: 75_000 }],
  [{ MAX_BODY_SIZE: "1KiB" }, { maxBodyBytes: 1024 }],
  [{ REQUEST_TIMEOUT: "500ms" }, { requestTimeoutMs: 500, headerTimeoutMs: 500, bodyTimeoutMs: 500 }],
  [
    { REQUEST_TIMEOUT: "1h" },
    { requestTimeoutMs: 3_600_000, headerTimeoutMs: 10_000, bodyTimeoutMs: 3_600_000, idleTimeoutMs: 3_615_000 },
  ],
  [{ MAX_REQUESTS: "off" }, { maxRequests: undefined }],
  [{ MAX_REQUESTS: "1" }, { maxRequests: 1 }],
])("accepts %o", (environment, limits) => {
  expect(readConfig(environment).limits).toMatchObject(limits);
});

test.each([
  [{ MAX_BODY_SIZE: "4194304" }, "MAX_BODY_SIZE must be a size from 1KiB to 256MiB, such as 64KiB or 4MiB"],
  [{ MAX_BODY_SIZE: "4MB" }, "MAX_BODY_SIZE must be a size"],
  [{ MAX_BODY_SIZE: "1GiB" }, "MAX_BODY_SIZE must be a size"],
  [{ MAX_REQUESTS: "0" }, "MAX_REQUESTS must be off or a number from 1 to 1000000"],
  [{ REQUEST_TIMEOUT: "off" }, "REQUEST_TIMEOUT must be a duration from 100ms to 1h"],
  [{ REQUEST_TIMEOUT: "99ms" }, "REQUEST_TIMEOUT must be a duration"],
  [{ REQUEST_TIMEOUT: "2h" }, "REQUEST_TIMEOUT must be a duration"],
  [{ RATE_LIMIT_CALLER: "0/s" }, "RATE_LIMIT_CALLER must be off or a rate such as 100/s"],
  [{ RATE_LIMIT_ADDRESS: "10" }, "RATE_LIMIT_ADDRESS must be off or a rate"],
  [
    { TRUSTED_PROXIES: "proxy" },
    "TRUSTED_PROXIES must be comma-separated IP addresses or networks, such as 10.0.0.0/8",
  ],
])("rejects %o: %s", (environment, message) => {
  expect(() => readConfig(environment)).toThrow(message);
});
