import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../../vitest.time-limits.js";

export default defineConfig({
  test: {
    ...TIME_LIMITS,
    isolate: false,
    include: ["src/**/*.test.ts"],
    globalSetup: ["src/testing/postgres-server.ts", "src/testing/migrated-directory.ts"],
    // Of the embedded database most is run a few times: it does not pay to compile it well.
    execArgv: ["--liftoff-only"],
  },
});
