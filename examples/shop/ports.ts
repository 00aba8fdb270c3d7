import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Reads a port from the environment variable `variable`, with the default `byDefault`. Checks that the port is free.
 *
 * @throws Error that names the variable if the port is invalid or in use.
 */
export async function readFreePort(variable: string, byDefault: number): Promise<number> {
  const text = process.env[variable] || String(byDefault);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new Error(`${variable} must be an integer between 1 and 65535.`);
  }
  const probe = createServer();
  try {
    await once(probe.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    const problem = (error as NodeJS.ErrnoException).code === "EADDRINUSE" ? "is in use" : "cannot be used";
    throw new Error(`Port ${port} ${problem}: set ${variable} to another port.`, { cause: error });
  }
  probe.close();
  await once(probe, "close");
  return port;
}
