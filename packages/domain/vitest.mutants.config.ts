import { mergeConfig } from "vitest/config";
import config from "./vitest.config.js";

// Stryker records which tests reach a mutation. Without isolation, it misses the tests whose modules an earlier test file has already loaded.
export default mergeConfig(config, { test: { isolate: true } });
