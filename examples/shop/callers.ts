import { skippingClock } from "../phone-simulator/call-clock.ts";
import { createNetwork } from "../phone-simulator/network.ts";
import { makeCall, type SimulatorOptions } from "../phone-simulator/simulator.ts";
import { visitCount } from "./visitors.ts";

/** One in so many visitors calls. */
const VISITORS_PER_CALL = 40;

/** The settings of the shop's phone system at the simulated provider. */
export const PROVIDER = {
  kind: "twilio",
  accountSid: `AC${"0".repeat(32)}`,
  authToken: "a-token-of-the-example",
} as const;

/** A source with its number; part of the response of ExplainPool. */
interface Source {
  readonly source: string;
  readonly medium: string;
  readonly tracking_number: string | null;
}

/** A caller, and the number of the source that brought them. */
interface Caller {
  readonly from: string;
  readonly to: string;
  readonly source: string;
}

/** Returns the visitors who call on a day. They dial the number of their source. */
function callersOf(day: number, sources: readonly Source[]): readonly Caller[] {
  return sources.flatMap(({ source, medium, tracking_number: to }, place) => {
    if (to === null) return [];
    const name = `${source} / ${medium}`;
    const count = Math.floor(visitCount(day, name) / VISITORS_PER_CALL);
    return Array.from({ length: count }, (_, index) => {
      return { from: `+1415555${2000 + day * 500 + place * 100 + index}`, to, source: name };
    });
  });
}

/**
 * Lets the visitors of a day call the shop. Every third call stays unanswered.
 *
 * @returns the number of calls by source, such as `google / cpc`.
 */
export async function callTheShop(
  voiceUrl: string,
  day: number,
  sources: readonly Source[],
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const network = createNetwork(PROVIDER.kind, PROVIDER.authToken);
  const provider = { provider: PROVIDER.kind, accountSid: PROVIDER.accountSid, voiceUrl };
  const made = new Map<string, number>();
  for (const [index, { source, ...call }] of callersOf(day, sources).entries()) {
    const phone =
      index % 3 === 2 ? ({ does: "ring" } as const) : ({ does: "answer", afterSeconds: 8, talkSeconds: 60 } as const);
    const options: SimulatorOptions = {
      ...provider,
      statusUrl: voiceUrl.replace(/voice$/, "status"),
      fallbackDocument: undefined,
      phones: () => phone,
    };
    await makeCall(options, network, skippingClock(now), call);
    made.set(source, (made.get(source) ?? 0) + 1);
  }
  await network.settle();
  return made;
}
