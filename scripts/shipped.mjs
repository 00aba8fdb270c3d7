/** The packages that users install to run or call the service. The other packages are their dependencies, or for developers. */
export const SHIPPED = ["@calltrack/server", "@calltrack/cli"];

/** pnpm options that select these packages and their runtime dependencies. */
export const SHIPPED_FILTER = SHIPPED.flatMap((name) => ["--filter", name]);
