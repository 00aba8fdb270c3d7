import { type Command, Option } from "commander";
import { parseRetriesOption, parseServerOption, parseTimeoutOption } from "./option-value.js";
import { outputFormatNames } from "./output/output-format-name.js";
import type { OutputOptions } from "./output/output-options.js";
import { type ProtocolName, protocolNames } from "./protocol-name.js";
import type { TlsFiles } from "./tls-options.js";

/** The options that every command takes. */
export interface GlobalOptions extends TlsFiles, OutputOptions {
  /** Without a trailing slash. */
  readonly server: string;
  /** An API key or an access token. */
  readonly key?: string | undefined;
  /** The name of the profile that the user asks for. */
  readonly profile?: string;
  readonly protocol: ProtocolName;
  /** How long one request may take with all its tries, in milliseconds. */
  readonly timeout: number;
  /** How often one request is sent again at most. */
  readonly retries: number;
  readonly verbose?: boolean;
}

/** Adds the options that every command takes to the root of the command tree. */
export function addGlobalOptions(program: Command): void {
  program
    .addOption(
      new Option("--server <url>", "where the service is")
        .env("CALLTRACK_SERVER")
        .default("http://127.0.0.1:8080")
        .argParser(parseServerOption),
    )
    .addOption(new Option("--key <key>", "an API key or an access token").env("CALLTRACK_KEY"))
    .addOption(
      new Option("--profile <name>", "the profile of login to use (default: default)").env("CALLTRACK_PROFILE"),
    )
    .addOption(
      new Option("--ca <file>", "the authorities that the server's certificate is to be of, in PEM").env(
        "CALLTRACK_CA",
      ),
    )
    .addOption(new Option("--cert <file>", "a client certificate, in PEM").env("CALLTRACK_CERT"))
    .addOption(new Option("--cert-key <file>", "its key (default: in the same file)").env("CALLTRACK_CERT_KEY"))
    .addOption(
      new Option("--protocol <name>", "how to talk to it: grpc over HTTP/2, the others over HTTP/1.1")
        .choices(protocolNames)
        .default(protocolNames[0]),
    )
    .addOption(
      new Option("-o, --output <format>", "how to write results to stdout")
        .choices(outputFormatNames)
        .default(outputFormatNames[0]),
    )
    .addOption(
      new Option("--columns <names>", "write these columns only, such as id,size").argParser((text) => text.split(",")),
    )
    .option("--sort <column>", "sort a list by this column; -size sorts by size, the largest first")
    .option("--query <expression>", "write the value of a JMESPath expression in place of the result, as JSON or YAML")
    .option("--no-header", "leave the names of the columns out of tables and CSV")
    .option("--no-pager", "on a terminal, do not show lists by the program that PAGER names")
    .addOption(
      new Option("--timeout <time>", "how long one request may take with its retries, such as 500ms, 10s or 2m")
        .default(30_000, "30s")
        .argParser(parseTimeoutOption),
    )
    .addOption(
      new Option("--retries <count>", "how often a request is sent again that failed for a moment, if that is safe")
        .default(5)
        .argParser(parseRetriesOption),
    )
    .option("-v, --verbose", "write each try's method, outcome and time to stderr");
}
