import type { LazyCommand } from "./lazy-command.js";

/** The commands of the program, in the order of its help. */
export const COMMANDS: readonly LazyCommand[] = [
  {
    name: "accounts",
    description: "enable and disable call tracking for accounts",
    load: async () => (await import("./commands/accounts.js")).defineAccounts,
  },
  {
    name: "numbers",
    description: "register the phone numbers of an account",
    load: async () => (await import("./commands/numbers.js")).defineNumbers,
  },
  {
    name: "pools",
    description: "create, read, update and explain the pools of an account",
    load: async () => (await import("./commands/pools.js")).definePools,
  },
  {
    name: "trackers",
    description: "read the call trackers of a pool, and change those of a manual one",
    load: async () => (await import("./commands/trackers.js")).defineTrackers,
  },
  {
    name: "inventory",
    description: "keep the tracking numbers that pools take their call trackers from",
    load: async () => (await import("./commands/inventory.js")).defineInventory,
  },
  {
    name: "visits",
    description: "record the visits by which automanaged pools choose sources",
    load: async () => (await import("./commands/visits.js")).defineVisits,
  },
  {
    name: "dni",
    description: "see which numbers the pages of a property show to visitors",
    load: async () => (await import("./commands/dni.js")).defineDni,
  },
  {
    name: "calls",
    description: "record, read, report and import calls, and see where they go",
    load: async () => (await import("./commands/calls.js")).defineCalls,
  },
  {
    name: "clock",
    description: "show the time by which pools are managed, and in a server for tries move it",
    load: async () => (await import("./commands/clock.js")).defineClock,
  },
  {
    name: "keys",
    description: "make, list and revoke API keys",
    load: async () => (await import("./commands/keys.js")).defineKeys,
  },
  {
    name: "login",
    description: "keep a server and an API key as a profile; the key is asked for, or read from standard input",
    load: async () => (await import("./commands/login.js")).defineLogin,
  },
  {
    name: "logout",
    description: "forget a profile; its key can be used elsewhere until it is revoked",
    load: async () => (await import("./commands/logout.js")).defineLogout,
  },
  {
    name: "profiles",
    description: "list the profiles that login has kept, without what is secret of them",
    load: async () => (await import("./commands/profiles.js")).defineProfiles,
  },
  {
    name: "audit",
    description: "show who changed what",
    load: async () => (await import("./commands/audit.js")).defineAudit,
  },
  {
    name: "api",
    description: "send a request to the JSON paths, with the profile's key, and write the body of the answer",
    load: async () => (await import("./commands/api.js")).defineApi,
  },
  {
    name: "version",
    description: "show the versions of this program and of the server's API",
    load: async () => (await import("./commands/version.js")).defineVersion,
  },
  {
    name: "completion",
    description: "write a script that completes this command line in a shell",
    load: async () => (await import("./commands/completion.js")).defineCompletion,
  },
  {
    name: "options",
    description: "describe the options that every command takes",
    load: async () => (await import("./commands/options.js")).defineOptions,
  },
  {
    name: "help",
    description: "show the help of a command",
    load: async () => (await import("./commands/help.js")).defineHelp,
  },
  {
    name: "__complete",
    description: "write values that complete a command line",
    hidden: true,
    load: async () => (await import("./commands/complete.js")).defineComplete,
  },
];
