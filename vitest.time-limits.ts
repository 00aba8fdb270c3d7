/**
 * The time limits of every test. They end tests that hang and nothing else: on a busy machine a test takes many times as long as on a
 * quiet one, and must still pass.
 */
export const TIME_LIMITS = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: 120_000 } },
};
