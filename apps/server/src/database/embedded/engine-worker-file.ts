import { createRequire } from "node:module";

/** The path of the built `engine-worker.ts`. `bundle.mjs` replaces this module: in the bundle, the worker is beside it. */
export const ENGINE_WORKER = createRequire(import.meta.url).resolve("#engine-worker");
