import { parseArgs } from "node:util";
import { ConfigError } from "../config/config-error.js";
import { SETTING_HELP_LINES } from "../config/setting-help.js";

/** File name that stands for stdin or stdout. */
export const STDIO_FILE_NAME = "-";

export const USAGE = `Usage: calltrack-server [serve | migrate | distribute | create-admin-key | backup FOLDER | dump FILE | restore FILE |
                         openapi [FILE]]

  serve             migrate the database and serve (the default); waits for an unreachable database
  migrate           migrate the database and exit
  distribute        migrate the database, distribute it over its Citus cluster and exit
  create-admin-key  create an API key with the scope admin, print it and exit; the key cannot be shown again
  backup            copy the embedded database to FOLDER and exit; stop its server first
  dump              write all data of the database to FILE (- for stdout) and exit
  restore           load a dump from FILE (- for stdin) into an empty database and exit
  openapi           write the OpenAPI document of the JSON paths to FILE, or to stdout, and exit

Options are --help and --version. Settings are environment variables, with their defaults in brackets:

${SETTING_HELP_LINES.join("\n")}

OTEL_EXPORTER_OTLP_ENDPOINT and other OTEL_* variables configure tracing.
`;

const MAX_ARGUMENTS = {
  serve: 0,
  migrate: 0,
  distribute: 0,
  "create-admin-key": 0,
  backup: 1,
  dump: 1,
  restore: 1,
  openapi: 1,
  help: 1,
  version: 0,
} as const;

export type CommandName = keyof typeof MAX_ARGUMENTS;

export interface CommandLine {
  /** `help` if `--help` was given with any command; otherwise, `version` if `--version` was given. */
  readonly command: CommandName;
  /** Undefined if the command's argument is absent or empty. */
  readonly file: string | undefined;
}

/**
 * Parses the arguments after the program's name. The default command is `serve`.
 *
 * @throws ConfigError with the usage for unknown commands, unknown options and surplus arguments.
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parseWords(args);
  const [command = "serve", ...operands] = positionals;
  if (values.help) return { command: "help", file: undefined };
  if (values.version) return { command: "version", file: undefined };
  if (!isCommand(command)) return rejectUsage(`unknown command ${command}`);
  const surplus = operands[MAX_ARGUMENTS[command]];
  if (surplus !== undefined) rejectUsage(`unexpected argument ${surplus}`);
  return { command, file: operands[0] || undefined };
}

function parseWords(args: readonly string[]) {
  try {
    const options = { help: { type: "boolean", short: "h" }, version: { type: "boolean" } } as const;
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    return rejectUsage((error as Error).message);
  }
}

function isCommand(text: string): text is CommandName {
  return Object.hasOwn(MAX_ARGUMENTS, text);
}

function rejectUsage(reason: string): never {
  throw new ConfigError(`${reason}\n\n${USAGE}`);
}
