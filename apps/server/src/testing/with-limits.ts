import { pino } from "pino";
import { afterAll, beforeAll, expect } from "vitest";
import type { LimitsSettings } from "../config/limits-settings.js";
import { startTestServer, type TestServer } from "./test-server.js";

/**
 * Returns a suite on its own server with these limits; the other limits have their defaults. Fails if the server logs an error: a client
 * that exceeds a limit must not cause one, because strangers could fill the log.
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
