import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../../vitest.time-limits.js";

export default defineConfig({
  test: {
    ...TIME_LIMITS,
    include: ["src/**/*.test.ts"],
    globalSetup: ["src/testing/postgres-server.ts", "src/testing/migrated-directory.ts"],
    // Most code of the embedded database runs only a few times, so optimized compilation does not pay off.
    execArgv: ["--liftoff-only"],
  },
});
