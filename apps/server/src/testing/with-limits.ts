import { afterAll, beforeAll } from "vitest";
import { readConfig } from "../config/config.js";
import type { LimitsSettings } from "../config/limits-settings.js";
import { startTestServer, type TestServer } from "./test-server.js";

/** Returns a suite on a server of its own, with these limits and otherwise the default ones. */
export function withLimits(limits: Partial<LimitsSettings>, suite: (server: () => TestServer) => void): () => void {
  return () => {
    let server: TestServer;
    beforeAll(async () => {
      const all = { ...readConfig({}).limits, ...limits };
      server = await startTestServer("postgres", { limits: all, managesPools: false });
    });
    afterAll(() => server.stop());
    suite(() => server);
  };
}
