import { createProviderNetwork } from "../phone-simulator/network.ts";
import { type IncomingCall, type SimulatedPhone, simulateCall } from "../phone-simulator/simulator.ts";
import { computeShopTime, HOURS_OPEN_PER_DAY } from "./business-hours.ts";
import type { CalltrackServer } from "./calltrack-server.ts";
import { countCallers } from "./visitors.ts";

export const SIMULATED_PROVIDER = {
  kind: "twilio",
  accountSid: `AC${"0".repeat(32)}`,
  authToken: "a-token-of-the-example",
} as const;

/** A source with its tracking number, from the response of ExplainPool. */
interface Source {
  readonly source: string;
  readonly medium: string;
  readonly tracking_number: string | null;
}

/** A call to the tracking number of the source from which the caller came. */
interface ShopCall extends IncomingCall {
  readonly source: string;
  readonly startsAt: Date;
  readonly phone: SimulatedPhone;
}

/**
 * Simulates the calls of a day, one after another during the shop's business hours.
 *
 * @returns the number of calls, keyed by source, such as `google / cpc`.
 */
export async function simulateCallsOfDay(
  calltrack: CalltrackServer,
  voiceUrl: string,
  monday: Date,
  day: number,
  sources: readonly Source[],
): Promise<ReadonlyMap<string, number>> {
  const network = createProviderNetwork(SIMULATED_PROVIDER.kind, SIMULATED_PROVIDER.authToken);
  const provider = { provider: SIMULATED_PROVIDER.kind, accountSid: SIMULATED_PROVIDER.accountSid, voiceUrl };
  const clock = {
    now: () => calltrack.now(),
    sleep: (seconds: number) => calltrack.moveTo(new Date(calltrack.now().getTime() + seconds * 1000)),
  };
  const made = new Map<string, number>();
  for (const { source, startsAt, phone, ...call } of planCalls(monday, day, sources)) {
    await calltrack.moveTo(startsAt);
    const options = {
      ...provider,
      statusUrl: voiceUrl.replace(/voice$/, "status"),
      fallbackDocument: undefined,
      phones: () => phone,
    };
    await simulateCall(options, network, clock, call);
    await network.settle();
    made.set(source, (made.get(source) ?? 0) + 1);
  }
  return made;
}

/** Returns the calls of a day in chronological order. The calls are the same in each run of the example. */
function planCalls(monday: Date, day: number, sources: readonly Source[]): readonly ShopCall[] {
  const random = createRandom(day + 1);
  const calls = sources.flatMap(({ source, medium, tracking_number: to }, place) => {
    const name = `${source} / ${medium}`;
    return Array.from({ length: to === null ? 0 : countCallers(day, name) }, (_, index) => ({
      ...{ source: name, to: to ?? "", from: `+1415555${2000 + day * 500 + place * 50 + index}` },
      startsAt: computeShopTime(monday, day, random() * HOURS_OPEN_PER_DAY),
      ...planEnd(random),
    }));
  });
  return calls.toSorted((one, other) => one.startsAt.getTime() - other.startsAt.getTime());
}

/** Decides how the phone and the caller behave. */
function planEnd(random: () => number): Pick<ShopCall, "phone" | "callerWaitsSeconds"> {
  const choice = random();
  if (choice < 0.1) return { phone: { does: "ring" } };
  if (choice < 0.17) return { phone: { does: "ring" }, callerWaitsSeconds: 6 + Math.floor(random() * 15) };
  if (choice < 0.2) return { phone: { does: "busy" } };
  const afterSeconds = 3 + Math.floor(random() * 14);
  // Most calls are short, and a few take up to ten minutes.
  return { phone: { does: "answer", afterSeconds, talkSeconds: 35 + Math.floor(random() ** 3 * 560) } };
}

/** Creates a generator of pseudorandom numbers from 0 to 1 (Park and Miller). The same seed generates the same numbers. */
function createRandom(seed: number): () => number {
  let state = seed * 7919;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
