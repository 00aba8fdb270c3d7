import { defineConfig } from "vitest/config";

// Most tests start several processes, which a busy machine takes its time for.
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts"],
    globalSetup: "../server/src/testing/migrated-directory.ts",
    isolate: false,
    testTimeout: 60_000,
  },
});
