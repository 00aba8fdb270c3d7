import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    reporters: ["default", "./scripts/closing-line-reporter.mjs"],
    // By itself it would leave one core to an editor, and of two use one.
    maxWorkers: availableParallelism(),
    projects: [
      "packages/domain",
      "packages/http2",
      "packages/transcoding",
      "packages/dni-script",
      "apps/server",
      "apps/cli",
    ],
  },
});
