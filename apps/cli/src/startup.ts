/**
 * Whether a command that calls the API has completed, so that most of the program is compiled. `bin/run-cached.cjs` reads it.
 */
export const startup = { hasCompleted: false };
