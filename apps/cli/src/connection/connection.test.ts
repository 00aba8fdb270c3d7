import { networkInterfaces } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { runJson } from "../testing/run-command.js";
import { startServer } from "../testing/server.js";
import { rpcProtocolNames } from "./rpc-protocol-name.js";

// Containers often have no IPv6.
const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === "::1"));

test.skipIf(!hasIpv6)("sends requests over each protocol to a URL with an IPv6 address", async () => {
  const { url, stop } = await startServer({ settings: { HOST: "::1" } });
  onTestFinished(() => stop());
  expect(url).toMatch(/^http:\/\/\[::1\]:/);
  for (const protocol of rpcProtocolNames)
    expect(await runJson(["accounts", "list", "--protocol", protocol], { server: url }), protocol).toStrictEqual([]);
});
