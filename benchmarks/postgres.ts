import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startChild } from "./child.ts";

/**
 * Starts an empty PostgreSQL server with default settings, and thus default durability, that ends with the resources. Its files
 * are in the system's temporary folder and are deleted at the end.
 *
 * @param settings additional settings, as `name=value`.
 * @returns the URL of a database.
 */
export async function startPostgres(
  resources: AsyncDisposableStack,
  settings: readonly string[] = [],
): Promise<string> {
  return (await startNode(resources, settings)).url;
}

/** A PostgreSQL server that a benchmark can crash. */
export interface PostgresNode {
  readonly url: string;
  /** Ends the server at once, like `pg_ctl stop -m immediate`. */
  crash(): Promise<void>;
  /** Starts the server again; resolves when it accepts connections. */
  start(): Promise<void>;
}

/** Starts a server like `startPostgres`, or a streaming standby on this machine if given the URL of its primary. */
export function startNode(
  resources: AsyncDisposableStack,
  settings: readonly string[],
  primaryUrl = "",
): Promise<PostgresNode> {
  return startKeeper(resources, { KEEPER_PRIMARY: primaryUrl, KEEPER_SETTINGS: settings.join(" ") });
}

async function startKeeper(resources: AsyncDisposableStack, environment: NodeJS.ProcessEnv): Promise<PostgresNode> {
  const child = startChild(resources, fileURLToPath(import.meta.resolve("./postgres-process.ts")), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, ...environment },
    // Ctrl-C reaches every process of a terminal at once. In a separate session the database outlives its clients.
    detached: true,
  });
  const [url] = await Promise.race([once(child, "message"), failure(child)]);
  const tell = async (command: "crash" | "start") => {
    child.send(command);
    await Promise.race([once(child, "message"), failure(child)]);
  };
  return { url: url as string, crash: () => tell("crash"), start: () => tell("start") };
}

async function failure(child: ReturnType<typeof startChild>): Promise<never> {
  await once(child, "exit");
  throw new Error("PostgreSQL did not start");
}
