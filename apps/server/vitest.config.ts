import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts"],
    globalSetup: ["src/testing/postgres-server.ts", "src/testing/migrated-directory.ts"],
    // Of the embedded database most is run a few times: it does not pay to compile it well.
    execArgv: ["--liftoff-only"],
    testTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
  },
});
