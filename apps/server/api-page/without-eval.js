/** Zod, which Scalar uses, tries to compile code unless this is set before it loads: the page's policy would report that. */
globalThis.__zod_globalConfig = { jitless: true };
