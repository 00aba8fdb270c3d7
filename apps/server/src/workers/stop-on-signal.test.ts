import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { stopOnSignal } from "./stop-on-signal.js";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

let before: Map<NodeJS.Signals, NodeJS.SignalsListener[]>;
let stop: PromiseWithResolvers<void>;
let stops: number;
let stopped: Promise<void>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  stop = Promise.withResolvers();
  stops = 0;
});

afterEach(() => {
  for (const signal of SIGNALS) for (const listener of added(signal)) process.off(signal, listener);
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The listeners of the process that the test has added; those of the test runner are left alone. */
function added(signal: NodeJS.Signals): NodeJS.SignalsListener[] {
  return process.listeners(signal).filter((each) => !before.get(signal)?.includes(each));
}

function begin(npmCommand?: string): void {
  vi.stubEnv("npm_command", npmCommand);
  stopped = stopOnSignal(() => {
    stops++;
    return stop.promise;
  });
}

function send(signal: NodeJS.Signals): void {
  for (const listener of added(signal)) listener(signal);
}

/** Lets the process look as if its parent had ended. */
function endParent(): void {
  vi.spyOn(process, "ppid", "get").mockReturnValue(1_000_000);
  vi.advanceTimersByTime(250);
}

test.each(SIGNALS)("%s stops, and resolves when that is done", async (signal) => {
  begin();
  expect(stops).toBe(0);
  send(signal);
  expect(stops).toBe(1);
  stop.resolve();
  await stopped;
});

test("the failure of stopping is passed on", async () => {
  begin();
  send("SIGTERM");
  stop.reject(new Error("broken"));
  await expect(stopped).rejects.toThrow("broken");
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

test("the end of the parent stops a process that npm started, once", async () => {
  begin("start");
  vi.advanceTimersByTime(1000);
  expect(stops).toBe(0);
  endParent();
  vi.advanceTimersByTime(1000);
  expect(stops).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("the end of the parent after a signal is no second one", () => {
  const exit = vi.spyOn(process, "exit").mockImplementation((() => {}) as never);
  begin("start");
  send("SIGTERM");
  endParent();
  expect([stops, exit.mock.calls]).toEqual([1, []]);
});

test("the end of the parent does not stop any other process", () => {
  begin();
  endParent();
  vi.advanceTimersByTime(10_000);
  expect(stops).toBe(0);
});
