import { defineConfig } from "vitest/config";
import { TEST_TIMEOUTS } from "../../vitest.timeouts.js";

export default defineConfig({
  test: {
    ...TEST_TIMEOUTS,
    include: ["src/**/*.test.ts"],
    globalSetup: "../server/src/testing/migrated-directory.ts",
    isolate: false,
  },
});
