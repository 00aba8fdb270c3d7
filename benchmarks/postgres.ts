import { once } from "node:events";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { startChild } from "./child.ts";

/** A PostgreSQL server. */
export interface PostgresServer {
  /** The URL of a database. */
  readonly url: string;
  /** Ends the server at once, like `pg_ctl stop -m immediate`. */
  crash(): Promise<void>;
  /** Starts the server again; resolves when it accepts connections. */
  start(): Promise<void>;
}

/**
 * Starts an empty PostgreSQL server with default settings, and thus default durability, that ends with the resources. Its files
 * are in the system's temporary folder and are deleted at the end.
 *
 * @param settings additional settings, as `name=value`.
 * @param primaryUrl of the server on this machine whose streaming standby it becomes.
 */
export async function startPostgres(
  resources: AsyncDisposableStack,
  settings: readonly string[] = [],
  primaryUrl = "",
): Promise<PostgresServer> {
  const child = startChild(resources, process.execPath, [fileURLToPath(import.meta.resolve("./postgres-process.ts"))], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, KEEPER_PRIMARY: primaryUrl, KEEPER_SETTINGS: settings.join(" ") },
    // Ctrl-C reaches every process of a terminal at once. In a separate session the database outlives its clients.
    detached: true,
  });
  const failure = once(child, "exit").then(() => {
    throw new Error("PostgreSQL did not start");
  });
  // The process may end with the resources while nobody awaits this promise.
  failure.catch(() => {});
  const [url] = await Promise.race([once(child, "message"), failure]);
  const tell = async (command: "crash" | "start") => {
    child.send(command);
    await Promise.race([once(child, "message"), failure]);
  };
  return { url: url as string, crash: () => tell("crash"), start: () => tell("start") };
}

/** Opens a connection that ends with the resources. */
export async function connect(resources: AsyncDisposableStack, connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  // pg reports the end of the database here when it ends before the connection.
  client.on("error", () => {});
  resources.defer(() => client.end());
  return client;
}
