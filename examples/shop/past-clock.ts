// Loaded into the server's process, and into the thread of its database, before their own code: sets their clock back, so that the example
// can simulate a week that has passed. Messages from the example move the clock toward the present.
import { BroadcastChannel, isMainThread } from "node:worker_threads";

const SystemDate = Date;

/** How far the clock is behind the system's clock, in milliseconds. */
let behindMs = Number(new URL(import.meta.url).searchParams.get("behind-ms"));

const now = () => SystemDate.now() - behindMs;

// A subclass would not recognise the dates that threads send to each other.
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
