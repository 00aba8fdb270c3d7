import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../../vitest.time-limits.js";

export default defineConfig({
  test: { ...TIME_LIMITS, include: ["src/**/*.test.ts"], globalSetup: ["src/testing/postgres-server.ts"] },
});
