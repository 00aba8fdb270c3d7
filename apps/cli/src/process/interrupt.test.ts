import { expect, onTestFinished, test } from "vitest";
import { ExitCode } from "./exit-code.js";
import { InterruptedError, listenForInterrupt } from "./interrupt.js";

type Signal = "SIGINT" | "SIGTERM";

/** Listens for signals, and returns a function that sends signals only to the new listeners. */
function listen() {
  const before = new Map((["SIGINT", "SIGTERM"] as const).map((signal) => [signal, process.listeners(signal)]));
  const interrupt = listenForInterrupt();
  const added = (signal: Signal) => process.listeners(signal).filter((each) => !before.get(signal)?.includes(each));
  onTestFinished(() => {
    for (const signal of before.keys()) for (const each of added(signal)) process.off(signal, each);
  });
  const send = (signal: Signal) => {
    for (const each of added(signal)) each(signal);
  };
  return { ...interrupt, send };
}

test.each([
  ["SIGINT", ExitCode.interrupted],
  ["SIGTERM", ExitCode.terminated],
] as const)("the first %s aborts stop, and the second one aborts drop", (signal, exitCode) => {
  const { stop, drop, send } = listen();
  expect([stop.aborted, drop.aborted]).toEqual([false, false]);
  send(signal);
  expect([stop.aborted, drop.aborted]).toEqual([true, false]);
  send(signal);
  expect(drop.aborted).toBe(true);
  for (const { reason } of [stop, drop]) {
    expect(reason).toBeInstanceOf(InterruptedError);
    expect(reason).toMatchObject({ exitCode });
  }
});

test("the first signal determines the exit code", () => {
  const { stop, send } = listen();
  send("SIGTERM");
  send("SIGINT");
  expect(stop.reason).toMatchObject({ exitCode: ExitCode.terminated });
});
