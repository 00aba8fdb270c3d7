import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startChild } from "./child.ts";

/**
 * Starts an empty PostgreSQL server with its default settings, and so with its default durability; it ends with the
 * resources. Its files are in the system's folder for temporary files, and are deleted at the end.
 *
 * @returns the URL of a database on it.
 */
export async function startPostgres(resources: AsyncDisposableStack): Promise<string> {
  const child = startChild(resources, fileURLToPath(import.meta.resolve("./postgres-keeper.ts")), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // Ctrl-C reaches every process of a terminal at once. In a session of its own the database outlives its clients.
    detached: true,
  });
  const [url] = await Promise.race([once(child, "message"), failure(child)]);
  return url as string;
}

async function failure(child: ReturnType<typeof startChild>): Promise<never> {
  await once(child, "exit");
  throw new Error("PostgreSQL could not be started");
}
