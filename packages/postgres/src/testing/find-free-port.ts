import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Finds a free TCP port on this machine, for a program that must be told its port. */
export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
