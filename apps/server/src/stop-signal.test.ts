import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createStopSignal, whenAborted } from "./stop-signal.js";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

let before: Map<NodeJS.Signals, NodeJS.SignalsListener[]>;
let stop: AbortSignal;
let stops: number;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  stops = 0;
});

afterEach(() => {
  for (const signal of SIGNALS) for (const listener of addedListeners(signal)) process.off(signal, listener);
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Returns the listeners that the test added to the process. The listeners of the test runner stay untouched. */
function addedListeners(signal: NodeJS.Signals): NodeJS.SignalsListener[] {
  return process.listeners(signal).filter((each) => !before.get(signal)?.includes(each));
}

function begin(npmCommand?: string): void {
  vi.stubEnv("npm_command", npmCommand);
  stop = createStopSignal();
  stop.addEventListener("abort", () => stops++);
}

function send(signal: NodeJS.Signals): void {
  for (const listener of addedListeners(signal)) listener(signal);
}

/** Simulates the exit of the parent process. */
function endParent(): void {
  vi.spyOn(process, "ppid", "get").mockReturnValue(1_000_000);
  vi.advanceTimersByTime(250);
}

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const)("%s aborts the signal, with the exit code %i as its reason", async (signal, exitCode) => {
  begin();
  expect(stops).toBe(0);
  const stopped = whenAborted(stop);
  send(signal);
  expect([stops, stop.reason]).toEqual([1, exitCode]);
  await stopped;
  await whenAborted(stop);
});

test.each([
  ["SIGTERM", "SIGTERM", 143],
  ["SIGTERM", "SIGINT", 130],
  ["SIGINT", "SIGTERM", 143],
] as const)("after %s, %s ends the process with %i", (first, second, exitCode) => {
  const exit = vi.spyOn(process, "exit").mockImplementation((() => {}) as never);
  begin();
  send(first);
  expect(exit).not.toHaveBeenCalled();
  send(second);
  expect(exit.mock.calls).toEqual([[exitCode]]);
  expect(stops).toBe(1);
});

test("the exit of the parent stops a process that npm started, once", async () => {
  begin("start");
  vi.advanceTimersByTime(1000);
  expect(stops).toBe(0);
  endParent();
  vi.advanceTimersByTime(1000);
  expect(stops).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("the exit of the parent after a signal does not count as a second signal", () => {
  const exit = vi.spyOn(process, "exit").mockImplementation((() => {}) as never);
  begin("start");
  send("SIGTERM");
  endParent();
  expect([stops, exit.mock.calls]).toEqual([1, []]);
});

test("the exit of the parent does not stop other processes", () => {
  begin();
  endParent();
  vi.advanceTimersByTime(10_000);
  expect(stops).toBe(0);
});
