import { defineConfig } from "vitest/config";
import { TEST_OPTIONS } from "../../vitest.options.js";

export default defineConfig({
  test: {
    ...TEST_OPTIONS,
    globalSetup: ["../server/src/testing/postgres-server.ts", "../server/src/testing/migrated-directory.ts"],
  },
});
