import { defineConfig } from "vitest/config";
import { TEST_TIMEOUTS } from "../../vitest.timeouts.js";

export default defineConfig({
  test: {
    ...TEST_TIMEOUTS,
    include: ["src/**/*.test.ts"],
    globalSetup: ["src/testing/postgres-server.ts"],
    isolate: false,
  },
});
