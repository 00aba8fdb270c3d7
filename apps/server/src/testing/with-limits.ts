import { pino } from "pino";
import { afterAll, beforeAll, expect } from "vitest";
import type { LimitsSettings } from "../config/limits-settings.js";
import { startTestServer, type TestServer } from "./test-server.js";

/**
 * Returns a test suite that runs on a new server with `limits`. All other limits have their defaults. The suite fails if the server logs an error,
 * because a client that exceeds a limit must not be able to fill the log.
 */
export function withLimits(limits: Partial<LimitsSettings>, suite: (server: () => TestServer) => void): () => void {
  return () => {
    let server: TestServer;
    const errors: string[] = [];
    const log = pino({ level: "error" }, { write: (line: string) => void errors.push(line) });
    beforeAll(async () => {
      server = await startTestServer("postgres", { limits, managesPools: false, parts: { log } });
    });
    afterAll(async () => {
      await server.stop();
      expect(errors).toEqual([]);
    });
    suite(() => server);
  };
}
