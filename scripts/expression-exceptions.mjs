/**
 * Modules that construct regular expressions at run time. Each entry has up to three items: the path of the module's source or library, the path of
 * its built file, and a function that makes the module construct the expressions. Libraries have no built file. The function is absent if loading the
 * module constructs the expressions. The check runs the modules and records the expressions.
 *
 * @type {readonly (readonly [place: string, file?: string, use?: (module: any) => unknown])[]}
 */
export const REGEXP_CONSTRUCTING_MODULES = [
  ["apps/cli/src/call-logs/log-time.ts", "apps/cli/dist/call-logs/log-time.js"],
  ["apps/server/node_modules/ipaddr.js"],
  [
    "packages/dni-script/src/number-swapper.ts",
    "packages/dni-script/src/number-swapper.ts",
    ({ createNumberSwapper }) => createNumberSwapper([{ original_number: "+493012345678", number: "+14155550100" }]),
  ],
  [
    "packages/domain/src/country-code.ts",
    "packages/domain/dist/country-code.js",
    ({ findCountryCode }) => findCountryCode("+14155550100"),
  ],
  ["packages/domain/src/formula-guard.ts", "packages/domain/dist/formula-guard.js"],
  ["packages/postgres/src/cluster-failure.ts", "packages/postgres/dist/cluster-failure.js"],
  [
    "packages/postgres/src/postgres-error.ts",
    "packages/postgres/dist/postgres-error.js",
    ({ isUniqueViolation }) => isUniqueViolation({ code: "23505", message: "" }, "accounts_key"),
  ],
];

/** Maps each file whose constructed regular expressions are not checked to the reason. */
export const UNCHECKED_REGEXP_MODULES = new Map([
  ["apps/server/api-page/send-example.js", "matches paths in the browser of the person who reads the API page"],
  ["apps/server/bundle.mjs", "matches the names of source files during the build"],
]);

/** A reason for an exception: users of the command line choose the file themselves, and can stop the program. */
const OWN_FILE = "reads cells of a file that the user imports";

/**
 * Functions whose time grows with the square of the text's length. Maps each function to the files that may call it, each with the reason. The
 * following are allowed everywhere, because they took at most 10 ms for the worst texts of 15,500 characters: `URL.parse`, `URLSearchParams`,
 * `Headers`, `isIP`, `decodeURIComponent`, `Intl.getCanonicalLocales`, `Buffer.from` of base64, isbot, jose, proxy-addr, forwarded and ipaddr.js.
 */
export const ALLOWED_NONLINEAR_CALLS = new Map([
  ["MIMEType", new Map([["packages/transcoding/src/http/media-type.ts", "reads at most 256 characters"]])],
  [
    "normalize",
    new Map([
      ["apps/cli/src/call-logs/log-number.ts", OWN_FILE],
      ["apps/cli/src/text/normalize-word.ts", OWN_FILE],
      ["apps/cli/src/text/phone-number-text.ts", OWN_FILE],
      ["apps/server/src/http/http2-connections.ts", "is another function, which compares authorities"],
      ["packages/dni-script/src/number-swapper.ts", "reads a country code"],
      ["packages/domain/src/caller-number.ts", "reads text without combining marks"],
      ["packages/domain/src/source-name.ts", "reads texts with at most 30 combining marks in a row"],
    ]),
  ],
  ["localeCompare", new Map()],
]);

const OWN_OPTIONS = "reads options for the log format, which the server sets itself";
const EMBEDDED = "reads paths and addresses that the embedded database sets itself";
const TRACING_FILE = "reads the settings and message definitions of tracing";

/** Nonlinear regular expressions in libraries, with the reason why untrusted texts do not reach them. */
export const LIBRARY_REGEXP_EXCEPTIONS = new Map([
  [String.raw`/{if (.*?)}([\s\S]*?){end}/g`, OWN_OPTIONS],
  ["/{if (.*?)}/g", OWN_OPTIONS],
  [
    String.raw`/(\d{1,})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})(\.\d{1,})?.*?( BC)?$/`,
    "reads times that PostgreSQL returns",
  ],
  [String.raw`/\.?0+$/`, "reads the milliseconds of an interval that PostgreSQL returns"],
  ["/0+$/", "reads the fraction of a second in an interval that PostgreSQL returns"],
  ["/%.+$/", "matches from the first percent sign, because headers have no line breaks"],
  [String.raw`/^(\/?|)([\s\S]*?)((?:\.{1,2}|[^\/]+?|)(\.[^.\/]*|))(?:[\/]*)$/`, EMBEDDED],
  [String.raw`/([^\/]+|\/)\/*$/`, EMBEDDED],
  ["/^ +| +$/g", EMBEDDED],
  ["/ *, */", EMBEDDED],
  ["/[a-z][A-Z]|[A-Z]{2,}[a-z]|[0-9][a-zA-Z]|[a-zA-Z][0-9]|[^a-zA-Z0-9 ]/", TRACING_FILE],
  [String.raw`/(?:"([^"\\]*(?:\\.[^"\\]*)*)")/g`, TRACING_FILE],
  [String.raw`/(?:'([^'\\]*(?:\\.[^'\\]*)*)')/g`, TRACING_FILE],
  [
    "/((?:[0-9a-f]{16}){1,2})-([0-9a-f]{16})(?:-([01d](?![0-9a-f])))?(?:-([0-9a-f]{16}))?/",
    "has no unlimited repetition; recheck would take minutes",
  ],
]);
