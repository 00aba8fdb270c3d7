/** Timeouts of every test. They only end tests that hang: tests take many times longer on a busy machine, and must still pass. */
export const TEST_TIMEOUTS = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: 120_000 } },
};
