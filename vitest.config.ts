import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The test files that take longest, in the order in which they start. */
const LONGEST = [
  ...[
    "installed-programs",
    "console-browser",
    "documentation",
    "main",
    "worker-group",
    "call-logs",
    "api-page-examples",
  ],
  ...["kamailio", "interrupted-import", "directory-lock", "console-live-browser", "simulated-calls"],
  ...["events-reconnect", "journal", "disk-full", "crash", "directory-privacy"],
].map((name) => `/${name}.test.ts`);

/**
 * Starts the longest test files first. Other files run while these files wait, and no long file runs alone at the end. By default, Vitest starts
 * large files first if it has no durations from earlier runs. CI never has such durations.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const first = LONGEST.flatMap((ending) => sorted.filter(({ moduleId }) => moduleId.endsWith(ending)));
    return [...new Set([...first, ...sorted])];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
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
