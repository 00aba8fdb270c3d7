import { defineConfig } from "vitest/config";
import { TEST_OPTIONS } from "../../vitest.options.js";

export default defineConfig({
  test: {
    ...TEST_OPTIONS,
    // As in `getServerCommand`: the optimization of embedded WebAssembly databases takes more processor time than it saves.
    execArgv: [...TEST_OPTIONS.execArgv, "--liftoff-only", "--wasm-lazy-validation"],
    globalSetup: ["src/testing/postgres-server.ts", "src/testing/migrated-directory.ts"],
  },
});
