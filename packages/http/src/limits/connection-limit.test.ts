import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { TrustedProxies } from "./client-address.js";
import { ConnectionLimit } from "./connection-limit.js";

/** Opens connections, each of which is a socket as far as its address and its end go. */
function createLimit(maxConnections: number, maxConnectionsPerAddress: number | undefined, proxies = "") {
  const counts = { open: 0, refused: 0 };
  const trustedProxies = new TrustedProxies(proxies);
  const limit = new ConnectionLimit(
    { maxConnections, maxConnectionsPerAddress, trustedProxies },
    {
      openConnection: () => counts.open++,
      closeConnection: () => counts.open--,
      refuseConnection: () => counts.refused++,
    },
  );
  /** Undefined if it is refused. */
  const open = (remoteAddress: string | undefined): Socket | undefined => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress }) as Socket;
    return limit.admit(socket) ? socket : undefined;
  };
  return { open, counts };
}

test("as many connections of an address are let in as may be, and those of others go on", () => {
  const { open } = createLimit(100, 2);
  expect([open("192.0.2.1"), open("192.0.2.1"), open("192.0.2.1")].map(Boolean)).toEqual([true, true, false]);
  expect(open("192.0.2.2")).toBeDefined();
});

test("as many connections are let in in all as may be", () => {
  const { open } = createLimit(3, undefined);
  const opened = [1, 2, 3, 4].map((last) => open(`192.0.2.${last}`));
  expect(opened.map(Boolean)).toEqual([true, true, true, false]);
});

test("a connection that is closed makes room for one other of its address", () => {
  const { open } = createLimit(100, 2);
  const [first] = [open("192.0.2.1"), open("192.0.2.1")];
  first?.emit("close");
  expect([open("192.0.2.1"), open("192.0.2.1")].map(Boolean)).toEqual([true, false]);
});

test("a connection that is closed makes room for one other in all", () => {
  const { open } = createLimit(2, undefined);
  const [first] = [open("192.0.2.1"), open("192.0.2.2")];
  first?.emit("close");
  expect([open("192.0.2.3"), open("192.0.2.4")].map(Boolean)).toEqual([true, false]);
});

test("an address whose connections are all closed begins anew", () => {
  const { open } = createLimit(100, 2);
  for (let turn = 0; turn < 3; turn++) {
    const opened = [open("192.0.2.1"), open("192.0.2.1")];
    expect(open("192.0.2.1")).toBeUndefined();
    for (const socket of opened) socket?.emit("close");
  }
});

test("the addresses of an IPv6 network of 64 bits count as one, and IPv4 in IPv6 as what it is", () => {
  const { open } = createLimit(100, 1);
  expect([open("2001:db8::1"), open("2001:db8::2"), open("2001:db8:0:1::1")].map(Boolean)).toEqual([true, false, true]);
  expect([open("192.0.2.1"), open("::ffff:192.0.2.1")].map(Boolean)).toEqual([true, false]);
});

test("a trusted proxy may have more than another address, and no more than there may be in all", () => {
  const { open } = createLimit(4, 1, "192.0.2.1");
  expect([open("192.0.2.2"), open("192.0.2.2")].map(Boolean)).toEqual([true, false]);
  expect([1, 2, 3, 4].map(() => open("192.0.2.1")).map(Boolean)).toEqual([true, true, true, false]);
});

test("a connection that is closed already counts nothing", () => {
  const { open, counts } = createLimit(1, 1);
  expect(open(undefined)).toBeUndefined();
  expect(open("192.0.2.1")).toBeDefined();
  expect(counts.refused).toBe(0);
});

test("open and refused connections are counted", () => {
  const { open, counts } = createLimit(2, undefined);
  const [first] = [open("192.0.2.1"), open("192.0.2.1"), open("192.0.2.1")];
  expect(counts).toEqual({ open: 2, refused: 1 });
  first?.emit("close");
  expect(counts).toEqual({ open: 1, refused: 1 });
});
