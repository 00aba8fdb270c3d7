import { defineConfig } from "vitest/config";
import { TEST_TIMEOUTS } from "../../vitest.timeouts.js";

export default defineConfig({
  test: {
    ...TEST_TIMEOUTS,
    isolate: false,
    // As in `getServerCommand`: the optimization of embedded WebAssembly databases takes more processor time than it saves.
    execArgv: ["--liftoff-only", "--wasm-lazy-validation"],
    include: ["src/**/*.test.ts"],
    globalSetup: ["src/testing/postgres-server.ts", "src/testing/migrated-directory.ts"],
  },
});
