/** The packages that users install to run or call the service. The other packages are dependencies of these, or for developers. */
export const RELEASED_PACKAGES = ["@calltrack/server", "@calltrack/cli"];

/** pnpm options that select the released packages and their runtime dependencies. */
export const RELEASED_PACKAGE_FILTERS = RELEASED_PACKAGES.flatMap((name) => ["--filter", name]);
