import { mergeConfig } from "vitest/config";
import config from "./vitest.config.js";

// Stryker counts the tests that reach a change by file, and loses those of modules that an earlier file has loaded.
export default mergeConfig(config, { test: { isolate: true } });
