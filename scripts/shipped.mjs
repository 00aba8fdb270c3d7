/** The packages that are installed to run the service, or to call it. The others of the workspace come with them, or are for developers. */
export const SHIPPED = ["@calltrack/server", "@calltrack/cli"];

/** What has the package manager look at these packages only, and at what they need to run. */
export const SHIPPED_FILTER = SHIPPED.flatMap((name) => ["--filter", name]);
