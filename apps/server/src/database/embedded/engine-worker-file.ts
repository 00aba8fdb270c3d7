import { createRequire } from "node:module";

/** The path of the compiled `engine-worker.ts`. `bundle.mjs` replaces this module, because the bundle has its own worker file. */
export const ENGINE_WORKER_PATH = createRequire(import.meta.url).resolve("#engine-worker");
