/** Mutation tests of the product's rules: which source gets a number, when a number is retired, and which source a call counts for. */
export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  // Otherwise, Stryker would rewrite tsconfig.json with the compiler API, which TypeScript 7 does not have.
  tsconfigFile: "none",
  vitest: { configFile: "packages/domain/vitest.mutants.config.ts", dir: "packages/domain", related: false },
  mutate: [
    "packages/domain/src/{run-pass,pass-*,source-ranking,source-standing,number-lifetime,number-supply,retiring-tracker}.ts",
    "packages/domain/src/{advised-pool-size,call-progress,call-report,exact-share,pool-forecast,telephony,traffic,traffic-source}.ts",
    "!**/*.test.ts",
  ],
  ignorePatterns: ["apps", "benchmarks", "examples", "release", "packages/*/dist", "!packages/domain/dist"],
  // Module constants are evaluated before the tests, so that each mutant of a constant would need a run of all tests.
  ignoreStatic: true,
  reporters: ["clear-text"],
  clearTextReporter: { allowEmojis: false, logTests: false, reportTests: false },
  tempDirName: "node_modules/.stryker",
  cleanTempDir: "always",
};
