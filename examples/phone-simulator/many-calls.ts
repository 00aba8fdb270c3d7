// Makes many concurrent calls through an unreliable network, and prints a line of JSON for each call. The line contains the call's id and possible
// outcomes, the number or address of the phone that took the call, and the seconds that this phone was on the line.
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createSimulatedClock } from "./call-clock.ts";
import { createProviderNetwork } from "./network.ts";
import { type CallResult, type SimulatedPhone, simulateCall } from "./simulator.ts";

const { values } = parseArgs({
  options: {
    "voice-url": { type: "string", default: "" },
    secret: { type: "string", default: "" },
    "account-sid": { type: "string", default: `AC${"0".repeat(32)}` },
    /** The tracking numbers to call, separated by commas. */
    to: { type: "string", default: "" },
    calls: { type: "string", default: "1000" },
    parallel: { type: "string", default: "32" },
    /** Calls that begin per second; by default, as many as the server answers. */
    rate: { type: "string", default: "Infinity" },
    seed: { type: "string", default: "1" },
  },
});

const voiceUrl = values["voice-url"];
const numbers = values.to.split(",");
const random = createRandom(Number(values.seed));
const network = createProviderNetwork("twilio", values.secret, { random, doubled: 0.2, late: 0.3 });
const begunAt = Date.now();
let started = 0;

async function makeCalls(): Promise<void> {
  while (started < Number(values.calls)) {
    const index = started++;
    await pause(Math.max(0, begunAt + (index / Number(values.rate)) * 1000 - Date.now()));
    const phones = new Map<string, SimulatedPhone>();
    const options = {
      ...{ provider: "twilio" as const, accountSid: values["account-sid"], voiceUrl, fallbackDocument: undefined },
      statusUrl: voiceUrl.replace(/voice$/, "status"),
      phones: (number: string) => phones.get(number) ?? (phones.set(number, pickPhone()).get(number) as SimulatedPhone),
    };
    const from = index % 10 === 0 ? "Anonymous" : `+1415${5_550_000 + index}`;
    const waits = random() < 0.2 ? { callerWaitsSeconds: Math.floor(random() * 20) } : {};
    const messageSeconds = Math.floor(random() * 10);
    const call = { from, to: numbers[index % numbers.length] as string, messageSeconds, ...waits };
    const result = await simulateCall(options, network, createSimulatedClock(new Date()), call);
    const { by: answered_by = null, seconds } = result.taken ?? {};
    console.log(JSON.stringify({ call_id: result.callSid, outcomes: outcomesOf(result), answered_by, seconds }));
  }
}

function pickPhone(): SimulatedPhone {
  const choice = random();
  if (choice < 0.1) return { does: "busy" };
  if (choice < 0.2) return { does: "fail" };
  if (choice < 0.35) return { does: "ring" };
  const presses = choice < 0.8 ? { presses: "1" } : {};
  return {
    does: "answer",
    afterSeconds: 1 + Math.floor(random() * 10),
    talkSeconds: Math.floor(random() * 60),
    ...presses,
  };
}

/** Returns the outcomes that the server may record for a call. */
function outcomesOf({ lastResult, isRejected, isResultLost }: CallResult): readonly string[] {
  if (isRejected) return ["failed"];
  switch (lastResult) {
    case "completed":
      return ["answered"];
    case "message":
      return ["voicemail"];
    case "voicemail":
      // Only the result of the dial says that nobody took the call. A server that stopped before it responded may or may not have recorded the result.
      return isResultLost ? ["answered", "missed"] : ["missed"];
    case "busy":
      return ["busy"];
    case "failed":
      return ["failed"];
    case "canceled":
      return isResultLost ? ["abandoned", "missed"] : ["abandoned"];
    case "no-answer":
      return ["missed"];
    default:
      // The caller hung up during the prompt, or no number was dialed.
      return ["abandoned", "missed"];
  }
}

/** Creates a generator of pseudorandom numbers from 0 to 1 (mulberry32). The same seed generates the same numbers. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

await Promise.all(Array.from({ length: Number(values.parallel) }, makeCalls));
await network.settle();
