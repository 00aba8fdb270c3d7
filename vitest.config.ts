import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    reporters: ["default", "./scripts/summary-reporter.mjs"],
    projects: [
      "packages/domain",
      "packages/postgres",
      "packages/transcoding",
      "packages/dni-script",
      "apps/server",
      "apps/cli",
    ],
  },
});
