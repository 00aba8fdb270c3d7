/** The options of all projects. The timeouts only end tests that hang, because tests must pass even on a busy machine, where they take far longer. */
export const TEST_OPTIONS = {
  include: ["src/**/*.test.ts"],
  isolate: false,
  // A large young generation: V8 starts with a small one, and its frequent collections take a twentieth of the processor time.
  execArgv: ["--min-semi-space-size=32", "--max-semi-space-size=32"],
  testTimeout: 300_000,
  hookTimeout: 300_000,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: 120_000 } },
};
