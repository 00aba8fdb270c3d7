import { defineConfig } from "vitest/config";
import { TEST_OPTIONS } from "../../vitest.options.js";

export default defineConfig({ test: TEST_OPTIONS });
