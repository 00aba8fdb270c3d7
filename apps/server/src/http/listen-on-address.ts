import { once } from "node:events";
import { createServer } from "node:net";
import type { Config } from "../config/config.js";
import type { HttpServer } from "./http-server.js";

export type ListenAddress = Pick<Config, "host" | "port">;

/** The names of the environment variables that set the host and the port, for error messages. */
export type AddressVariableNames = Readonly<Record<keyof ListenAddress, string>>;

/** Lets a server listen, and returns its port. If the address is unavailable, throws an Error that says which setting to change. */
export async function listenOnAddress(
  server: Pick<HttpServer, "listen">,
  { host, port }: ListenAddress,
  variables: AddressVariableNames,
): Promise<number> {
  try {
    return await server.listen(port, host);
  } catch (error) {
    const message = describeFailure((error as NodeJS.ErrnoException).code, host, port, variables);
    throw message === undefined ? error : new Error(message, { cause: error });
  }
}

/** Throws like `listenOnAddress` if an address is unavailable. A starting server calls this before it changes files or the database. */
export async function requireFreeAddress(address: ListenAddress, variables: AddressVariableNames): Promise<void> {
  if (address.port === 0) return;
  const server = createServer();
  const probe = async (port: number, host: string) => {
    await once(server.listen(port, host), "listening");
    return port;
  };
  await listenOnAddress({ listen: probe }, address, variables);
  await new Promise((resolve) => server.close(resolve));
}

function describeFailure(code: string | undefined, host: string, port: number, variables: AddressVariableNames) {
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} on ${host} is in use: stop the server that uses it, or set ${variables.port} to another port`;
    case "EACCES":
      return `port ${port} on ${host} needs more privileges than this user has: set ${variables.port} to a port above 1023`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine: set ${variables.host} to an address of this machine, such as 127.0.0.1`;
    default:
      return undefined;
  }
}
