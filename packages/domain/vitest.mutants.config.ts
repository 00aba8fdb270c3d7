import { mergeConfig } from "vitest/config";
import config from "./vitest.config.js";

// Stryker records which tests execute a mutated line. Without isolation, it does not record the tests whose modules an earlier test file has already
// loaded.
export default mergeConfig(config, { test: { isolate: true } });
