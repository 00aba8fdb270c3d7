/**
 * Prints the last line of a test run: `N passed, N failed`, and `, N skipped` if tests were skipped. A file that failed to load and an unhandled
 * error each count as a failed test.
 *
 * @implements {import("vitest/reporters").Reporter}
 */
export default class SummaryReporter {
  /**
   * @param {readonly import("vitest/node").TestModule[]} modules
   * @param {readonly unknown[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed" || state === "failed" || state === "skipped") count[state] += 1;
      }
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    // The exit hook of a dependency sets exit code 0, whatever the result of the tests. This hook runs after it, and sets exit code 1.
    if (count.failed > 0) process.once("exit", () => (process.exitCode = 1));
    console.log(`\n${count.passed} passed, ${count.failed} failed${skipped}`);
  }
}
