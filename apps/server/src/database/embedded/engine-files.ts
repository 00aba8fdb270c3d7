import { createRequire } from "node:module";

// `bundle.mjs` replaces this module, because the bundle has its own copies of these files.
const { resolve } = createRequire(import.meta.url);

/** The path of the compiled `engine-worker.ts`. */
export const ENGINE_WORKER_PATH = resolve("#engine-worker");

/** The path of the archive from `pack-new-database.mjs`: the files of an empty database. */
export const NEW_DATABASE_PATH = resolve("#new-database");
