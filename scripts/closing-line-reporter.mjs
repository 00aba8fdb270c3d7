/**
 * Prints the line that closes a test run: `N passed, N failed`, with `, N skipped` where some were. A file that could not be
 * run counts as a failed test.
 *
 * @implements {import("vitest/reporters").Reporter}
 */
export default class ClosingLineReporter {
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
    // A library of the tests ends the process by an exit hook of its own, with 0 whatever came of them.
    if (count.failed > 0) process.once("exit", () => (process.exitCode = 1));
    console.log(`\n${count.passed} passed, ${count.failed} failed${skipped}`);
  }
}
