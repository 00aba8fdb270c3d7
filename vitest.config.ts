import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Test files that take longest, in the order in which they start. */
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
  ...["kamailio", "interrupted-import", "directory-lock", "console-live-browser", "simulated-calls", "pipelining"],
  ...["events-reconnect", "journal", "disk-full", "crash", "directory-privacy"],
].map((name) => `/${name}.test.ts`);

/**
 * Starts the longest test files first, so that the others run while they wait, and none of them ends the run alone. Vitest itself starts
 * large files first, unless it has measured them, and CI never has.
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
