import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    reporters: ["default", "./scripts/closing-line-reporter.mjs"],
    projects: ["packages/domain", "packages/transcoding", "apps/server", "apps/cli"],
  },
});
