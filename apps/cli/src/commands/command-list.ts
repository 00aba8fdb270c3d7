import type { LazyCommand } from "./lazy-command.js";

/** The commands of the program, in the order of the help. */
export const COMMANDS: readonly LazyCommand[] = [
  {
    name: "accounts",
    description: "enable and disable call tracking for accounts",
    load: async () => (await import("./accounts/accounts.js")).defineAccounts,
  },
  {
    name: "numbers",
    description: "register the phone numbers of an account",
    load: async () => (await import("./numbers/numbers.js")).defineNumbers,
  },
  {
    name: "pools",
    description: "create, show, update and explain the pools of an account",
    load: async () => (await import("./pools/pools.js")).definePools,
  },
  {
    name: "trackers",
    description: "show the call trackers of a pool, and update those of a manual pool",
    load: async () => (await import("./trackers/trackers.js")).defineTrackers,
  },
  {
    name: "inventory",
    description: "manage the tracking numbers that pools draw from",
    load: async () => (await import("./inventory/inventory.js")).defineInventory,
  },
  {
    name: "visits",
    description: "record the visits that automanaged pools are based on",
    load: async () => (await import("./visits/visits.js")).defineVisits,
  },
  {
    name: "dni",
    description: "show which numbers visitors of a property see",
    load: async () => (await import("./dni/dni.js")).defineDni,
  },
  {
    name: "calls",
    description: "record, list, report and import calls, and show where they are routed",
    load: async () => (await import("./calls/calls.js")).defineCalls,
  },
  {
    name: "call-flows",
    description: "show and change what callers hear, who is rung, and when calls are recorded",
    load: async () => (await import("./call-flows/call-flows.js")).defineCallFlows,
  },
  {
    name: "clock",
    description: "show the server's clock, and advance it on a test server",
    load: async () => (await import("./clock/clock.js")).defineClock,
  },
  {
    name: "keys",
    description: "create, list and revoke API keys",
    load: async () => (await import("./keys/keys.js")).defineKeys,
  },
  {
    name: "phone-systems",
    description: "connect the providers and PBXs that carry calls",
    load: async () => (await import("./phone-systems/phone-systems.js")).definePhoneSystems,
  },
  {
    name: "login",
    description: "save a server and an API key as a profile; prompts for the key or reads it from stdin",
    load: async () => (await import("./profiles/login.js")).defineLogin,
  },
  {
    name: "logout",
    description: "delete a profile; its key stays valid until it is revoked",
    load: async () => (await import("./profiles/logout.js")).defineLogout,
  },
  {
    name: "whoami",
    description: "show the credential in use: its scopes, account and expiry",
    load: async () => (await import("./profiles/whoami.js")).defineWhoami,
  },
  {
    name: "profiles",
    description: "list the saved profiles, without their secrets",
    load: async () => (await import("./profiles/profiles.js")).defineProfiles,
  },
  {
    name: "audit",
    description: "show the audit log: who changed what",
    load: async () => (await import("./audit/audit.js")).defineAudit,
  },
  {
    name: "api",
    description: "send an HTTP request to the JSON API with the profile's key, and print the response body",
    load: async () => (await import("./api/api.js")).defineApi,
  },
  {
    name: "version",
    description: "show the versions of this program and the server's API",
    load: async () => (await import("./version.js")).defineVersion,
  },
  {
    name: "completion",
    description: "print a completion script for your shell",
    load: async () => (await import("./completion/completion.js")).defineCompletion,
  },
  {
    name: "options",
    description: "show the global options",
    load: async () => (await import("./options.js")).defineOptions,
  },
  {
    name: "help",
    description: "show the help of a command",
    load: async () => (await import("./help.js")).defineHelp,
  },
  {
    name: "__complete",
    description: "print completions for a command line",
    hidden: true,
    load: async () => (await import("./completion/complete.js")).defineComplete,
  },
];
