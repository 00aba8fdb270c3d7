import type { LazyCommand } from "./lazy-command.js";

/** The commands in the order in which the help lists them. */
export const TOP_LEVEL_COMMANDS: readonly LazyCommand[] = [
  ["accounts", "enable and disable call tracking for accounts", () => import("./accounts/accounts.js")],
  ["numbers", "register the phone numbers of an account", () => import("./numbers/numbers.js")],
  ["pools", "create, show, update and explain the pools of an account", () => import("./pools/pools.js")],
  [
    "trackers",
    "show the call trackers of a pool, and update the call trackers of manual pools",
    () => import("./trackers/trackers.js"),
  ],
  ["inventory", "manage the tracking numbers that pools draw from", () => import("./inventory/inventory.js")],
  [
    "visits",
    "record visits, from which automanaged pools choose the sources that get numbers",
    () => import("./visits/visits.js"),
  ],
  [
    "source-aliases",
    "count visits from differently named sources, such as fb and facebook, as one source",
    () => import("./source-aliases/source-aliases.js"),
  ],
  ["dni", "show which numbers visitors to a property see", () => import("./dni/dni.js")],
  ["calls", "record, list, report and import calls, and show where they are routed", () => import("./calls/calls.js")],
  [
    "call-flows",
    "show and change what callers hear, which phones ring, and when calls are recorded",
    () => import("./call-flows/call-flows.js"),
  ],
  ["clock", "show the server's clock, and advance it on a test server", () => import("./clock/clock.js")],
  ["keys", "create, list and revoke API keys", () => import("./keys/keys.js")],
  [
    "phone-systems",
    "connect the providers and PBXs that carry calls",
    () => import("./phone-systems/phone-systems.js"),
  ],
  [
    "login",
    "save a server and an API key as a profile; prompts for the key or reads it from stdin",
    () => import("./profiles/login.js"),
  ],
  ["logout", "delete a profile; its key stays valid until it is revoked", () => import("./profiles/logout.js")],
  ["whoami", "show the credential in use, with its scopes, account and expiry", () => import("./profiles/whoami.js")],
  ["profiles", "list the saved profiles, without their secrets", () => import("./profiles/profiles.js")],
  ["events", "list and watch the changes to all resources", () => import("./events/events.js")],
  [
    "webhook-endpoints",
    "send events to the URLs of other programs, and show which events the programs accepted",
    () => import("./webhook-endpoints/webhook-endpoints.js"),
  ],
  ["audit", "show the audit log: who changed what", () => import("./audit/audit.js")],
  [
    "api",
    "send an HTTP request to the JSON API with the profile's key, and print the response body",
    () => import("./api/api.js"),
  ],
  ["version", "show the versions of this program and the server's API", () => import("./version.js")],
  ["completion", "print a completion script for your shell", () => import("./completion/completion.js")],
  ["options", "show the global options", () => import("./options.js")],
  ["help", "show the help of a command", () => import("./help.js")],
  ["__complete", "print completions for a command line", () => import("./completion/complete.js"), { hidden: true }],
];
