import { expect, test } from "vitest";
import { readConfig } from "./config.js";

test.each([
  [{}, { maxBodyBytes: 4_194_304, maxConnectionsPerAddress: 512, maxRequests: 256, idleTimeoutMs: 75_000 }],
  [
    { MAX_BODY_SIZE: "1KiB", MAX_HEADER_SIZE: "64KiB" },
    { maxBodyBytes: 1024, maxHeaderBytes: 65_536 },
  ],
  [{ MAX_UNSENT_SIZE: "1GiB" }, { maxUnsentBytes: 1_073_741_824 }],
  [
    { HEADER_TIMEOUT: "500ms", BODY_TIMEOUT: "1h" },
    { headerTimeoutMs: 500, bodyTimeoutMs: 3_600_000 },
  ],
  [
    { MAX_REQUESTS: "off", MAX_CONNECTIONS_PER_ADDRESS: "off" },
    { maxRequests: undefined, maxConnectionsPerAddress: undefined },
  ],
  [
    { MAX_REQUESTS: "1", MAX_STREAMS: "1" },
    { maxRequests: 1, maxStreams: 1 },
  ],
])("%o is taken", (environment, limits) => {
  expect(readConfig(environment).limits).toMatchObject(limits);
});

test.each([
  [{ MAX_BODY_SIZE: "4194304" }, "MAX_BODY_SIZE must be a size from 1KiB to 262144KiB, such as 64KiB or 4MiB"],
  [{ MAX_BODY_SIZE: "4MB" }, "MAX_BODY_SIZE must be a size"],
  [{ MAX_BODY_SIZE: "1GiB" }, "MAX_BODY_SIZE must be a size"],
  [{ MAX_HEADER_SIZE: "0KiB" }, "MAX_HEADER_SIZE must be a size"],
  [{ MAX_CONNECTIONS: "off" }, "MAX_CONNECTIONS must be a number from 1 to 1000000"],
  [{ MAX_REQUESTS: "0" }, "MAX_REQUESTS must be a number from 1 to 1000000"],
  [{ SEND_TIMEOUT: "off" }, "SEND_TIMEOUT must be a time of 0.1 s to 3600 s"],
  [{ SEND_TIMEOUT: "99ms" }, "SEND_TIMEOUT must be a time"],
  [{ REQUEST_TIMEOUT: "2h" }, "REQUEST_TIMEOUT must be a time"],
  [{ HEADER_TIMEOUT: "2m" }, "HEADER_TIMEOUT must not be more than BODY_TIMEOUT"],
  [{ RATE_LIMIT_CALLER: "0/s" }, "RATE_LIMIT_CALLER must be off or requests a time such as 100/s"],
  [{ RATE_LIMIT_ADDRESS: "10" }, "RATE_LIMIT_ADDRESS must be off or requests a time"],
  [{ TRUSTED_PROXIES: "proxy" }, "TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8"],
  [{ FORWARDING_HEADER: "via" }, "FORWARDING_HEADER must be x-forwarded-for or forwarded"],
  [{ IDLE_TIMEOUT: "60s" }, "IDLE_TIMEOUT must be more than REQUEST_TIMEOUT"],
])("%o is refused: %s", (environment, message) => {
  expect(() => readConfig(environment)).toThrow(message);
});
