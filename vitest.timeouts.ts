/** The timeouts of all tests. They only end tests that hang, because tests must pass even on a busy machine, where they take many times longer. */
export const TEST_TIMEOUTS = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: 120_000 } },
};
