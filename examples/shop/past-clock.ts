// This module sets back the clock of the server's process and of the server's database thread, so that the example can simulate a past week.
// `--import` loads the module before the code of the server. Messages from the example move the clock toward the present.
import { BroadcastChannel, isMainThread } from "node:worker_threads";

const SystemDate = Date;

/** Milliseconds by which the simulated clock is behind the system's clock. */
let behindMs = Number(new URL(import.meta.url).searchParams.get("behind-ms"));

const now = () => SystemDate.now() - behindMs;

// A proxy instead of a subclass, because dates from other threads would not be instances of a subclass.
globalThis.Date = new Proxy(SystemDate, {
  construct: (target, given, caller) => Reflect.construct(target, given.length === 0 ? [now()] : given, caller),
  get: (target, key) => (key === "now" ? now : Reflect.get(target, key)),
});

const threads = new BroadcastChannel("past-clock");
threads.onmessage = ({ data }: { readonly data: unknown }) => {
  behindMs = data as number;
};
threads.unref();

if (isMainThread) {
  process.on("message", (ms: number) => {
    behindMs = ms;
    threads.postMessage(ms);
  });
  process.channel?.unref();
}
