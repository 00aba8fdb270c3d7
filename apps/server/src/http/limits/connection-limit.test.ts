import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { ConnectionLimit } from "./connection-limit.js";

/** Creates a limit, and a function that opens fake sockets. */
function createLimit(maxConnections: number, maxConnectionsPerAddress: number | undefined, proxies = "") {
  const counts = { open: 0, refused: 0 };
  const trustedProxies = (address: string) => address === proxies;
  const limit = new ConnectionLimit(
    { maxConnections, maxConnectionsPerAddress, trustedProxies },
    {
      connectionOpened: () => counts.open++,
      connectionClosed: () => counts.open--,
      connectionRefused: () => counts.refused++,
    },
  );
  /** Returns undefined if the connection is rejected. */
  const open = (remoteAddress: string | undefined): Socket | undefined => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress }) as Socket;
    return limit.admit(socket) ? socket : undefined;
  };
  return { open, counts };
}

test("limits the connections per address", () => {
  const { open } = createLimit(100, 2);
  expect([open("192.0.2.1"), open("192.0.2.1"), open("192.0.2.1")].map(Boolean)).toEqual([true, true, false]);
  expect(open("192.0.2.2")).toBeDefined();
});

test("limits the total number of connections", () => {
  const { open } = createLimit(3, undefined);
  const opened = [1, 2, 3, 4].map((last) => open(`192.0.2.${last}`));
  expect(opened.map(Boolean)).toEqual([true, true, true, false]);
});

test("admits another connection from an address after one is closed", () => {
  const { open } = createLimit(100, 2);
  const [first] = [open("192.0.2.1"), open("192.0.2.1")];
  first?.emit("close");
  expect([open("192.0.2.1"), open("192.0.2.1")].map(Boolean)).toEqual([true, false]);
});

test("admits another connection in total after one is closed", () => {
  const { open } = createLimit(2, undefined);
  const [first] = [open("192.0.2.1"), open("192.0.2.2")];
  first?.emit("close");
  expect([open("192.0.2.3"), open("192.0.2.4")].map(Boolean)).toEqual([true, false]);
});

test("resets the count of an address when all its connections are closed", () => {
  const { open } = createLimit(100, 2);
  for (let turn = 0; turn < 3; turn++) {
    const opened = [open("192.0.2.1"), open("192.0.2.1")];
    expect(open("192.0.2.1")).toBeUndefined();
    for (const socket of opened) socket?.emit("close");
  }
});

test("counts a /64 network of IPv6 as one address, and IPv4-mapped addresses as IPv4", () => {
  const { open } = createLimit(100, 1);
  expect([open("2001:db8::1"), open("2001:db8::2"), open("2001:db8:0:1::1")].map(Boolean)).toEqual([true, false, true]);
  expect([open("192.0.2.1"), open("::ffff:192.0.2.1")].map(Boolean)).toEqual([true, false]);
});

test("applies only the total limit to trusted proxies", () => {
  const { open } = createLimit(4, 1, "192.0.2.1");
  expect([open("192.0.2.2"), open("192.0.2.2")].map(Boolean)).toEqual([true, false]);
  expect([1, 2, 3, 4].map(() => open("192.0.2.1")).map(Boolean)).toEqual([true, true, true, false]);
});

test("does not count a connection that is already closed", () => {
  const { open, counts } = createLimit(1, 1);
  expect(open(undefined)).toBeUndefined();
  expect(open("192.0.2.1")).toBeDefined();
  expect(counts.refused).toBe(0);
});

test("reports opened, closed and rejected connections", () => {
  const { open, counts } = createLimit(2, undefined);
  const [first] = [open("192.0.2.1"), open("192.0.2.1"), open("192.0.2.1")];
  expect(counts).toEqual({ open: 2, refused: 1 });
  first?.emit("close");
  expect(counts).toEqual({ open: 1, refused: 1 });
});
