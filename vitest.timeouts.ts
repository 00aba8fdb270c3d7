/** The timeouts of all tests. They only end tests that hang: on a busy machine, tests take many times longer and must still pass. */
export const TEST_TIMEOUTS = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: 120_000 } },
};
