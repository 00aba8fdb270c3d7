import { once } from "node:events";
import { createServer } from "node:net";
import type { Config } from "../config/config.js";
import type { HttpServer } from "./http-server.js";

export type ListenAddress = Pick<Config, "host" | "port">;

/** The names of the environment variables that set an address, for error messages. */
export type AddressVariables = Readonly<Record<keyof ListenAddress, string>>;

/** Listens on an address and returns the port. Throws an Error that says which setting to change if the address is unavailable. */
export async function listen(
  server: Pick<HttpServer, "listen">,
  { host, port }: ListenAddress,
  variables: AddressVariables,
): Promise<number> {
  try {
    return await server.listen(port, host);
  } catch (error) {
    const message = describeFailure((error as NodeJS.ErrnoException).code, host, port, variables);
    throw message === undefined ? error : new Error(message, { cause: error });
  }
}

/** Throws like `listen` if an address is unavailable. Call it before the start of a server changes anything. */
export async function requireFreeAddress(address: ListenAddress, variables: AddressVariables): Promise<void> {
  if (address.port === 0) return;
  const server = createServer();
  const probe = async (port: number, host: string) => {
    await once(server.listen(port, host), "listening");
    return port;
  };
  await listen({ listen: probe }, address, variables);
  await new Promise((resolve) => server.close(resolve));
}

function describeFailure(code: string | undefined, host: string, port: number, variables: AddressVariables) {
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
