/** Must be set before Zod, which Scalar uses, is loaded: otherwise Zod tries to compile code, which violates the page's content security policy. */
globalThis.__zod_globalConfig = { jitless: true };
