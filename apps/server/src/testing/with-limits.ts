import { pino } from "pino";
import { afterAll, beforeAll, expect } from "vitest";
import type { LimitsSettings } from "../config/limits-settings.js";
import { startTestServer, type TestServer } from "./test-server.js";

/**
 * Returns a suite on a server of its own, with these limits and otherwise the default ones. Fails if the server logs an error: that a
 * client exceeds a limit is none, and strangers could fill the log.
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
