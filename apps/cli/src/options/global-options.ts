import { type Command, Option } from "commander";
import { type RpcProtocolName, rpcProtocolNames } from "../connection/rpc-protocol-name.js";
import type { TlsFilePaths } from "../connection/tls-options.js";
import type { OutputOptions } from "../output/output-options.js";
import { outputFormatNames } from "../output/output-options.js";
import { parseRetriesOption, parseServerOption, parseTimeoutOption } from "./option-value.js";

/** The values of the options that every command takes. */
export interface GlobalOptions extends TlsFilePaths, OutputOptions {
  /** URL without a trailing slash. */
  readonly server: string;
  /** An API key or an access token. */
  readonly key?: string | undefined;
  /** The profile that the user selected. */
  readonly profile?: string;
  /** If absent, the default in `ConnectionOptions` applies. */
  readonly protocol?: RpcProtocolName;
  /** Time limit for one request including its retries, in milliseconds. */
  readonly timeout: number;
  /** Maximum number of retries per request. */
  readonly retries: number;
  readonly verbose?: boolean;
}

export function addGlobalOptions(program: Command): void {
  program
    .addOption(
      new Option("--server <url>", "the URL of the service")
        .env("CALLTRACK_SERVER")
        .default("http://127.0.0.1:8080")
        .argParser(parseServerOption),
    )
    .addOption(new Option("--key <key>", "an API key or an access token").env("CALLTRACK_KEY"))
    .addOption(
      new Option(
        "--profile <name>",
        'the profile to use, as saved by calltrack login (default: the profile named "default")',
      ).env("CALLTRACK_PROFILE"),
    )
    .addOption(
      new Option("--ca <file>", "CA certificates to verify the server's certificate with, in PEM").env("CALLTRACK_CA"),
    )
    .addOption(new Option("--cert <file>", "client certificate, in PEM").env("CALLTRACK_CERT"))
    .addOption(
      new Option(
        "--cert-key <file>",
        "private key of the client certificate (default: the key in the --cert file)",
      ).env("CALLTRACK_CERT_KEY"),
    )
    .addOption(
      new Option(
        "--protocol <name>",
        "protocol: grpc uses HTTP/2, connect and grpc-web use HTTP/1.1 (default: grpc, or connect if a proxy is set)",
      ).choices(rpcProtocolNames),
    )
    .addOption(
      new Option("-o, --output <format>", "output format").choices(outputFormatNames).default(outputFormatNames[0]),
    )
    .option("--columns <names>", "show only these columns, for example id,size", (text) => text.split(","))
    .option("--sort <column>", "sort a list by this column; -size sorts by size in descending order")
    .option("--query <expression>", "apply a JMESPath expression to the result; prints JSON or YAML")
    .option("--no-header", "omit the header of tables and CSV")
    .option("--no-pager", "do not pipe lists through the program in PAGER")
    .addOption(
      new Option("--timeout <time>", "time limit for each request including its retries, such as 500ms, 10s or 2m")
        .default(30_000, "30s")
        .argParser(parseTimeoutOption),
    )
    .option(
      "--retries <count>",
      "maximum number of retries of a request that failed temporarily, if retries are safe",
      parseRetriesOption,
      5,
    )
    .option("-v, --verbose", "log each attempt's method, outcome and duration to stderr");
}
