import { type AllowedNumbers, barredNumberReason } from "./allowed-numbers.js";
import type { CallFlowSettings } from "./gen/calltracking/v1/call_flow_pb.js";
import { readSipUri } from "./sip-uri.js";

/** The destinations that a phone system may dial. */
export interface AllowedDestinations extends AllowedNumbers {
  /** The hosts of SIP URIs, in lower case. Empty if no SIP URI may be dialed. */
  readonly allowedSipHosts: readonly string[];
}

/**
 * Returns the destinations in a call flow, numbers in E.164 format and SIP URIs, by the paths of their fields, such as
 * `steps[0].targets[1].sip_uri`. Does not contain the original number.
 */
export function destinationsOf({ fallbackNumber, steps, closedSteps }: CallFlowSettings): ReadonlyMap<string, string> {
  const destinations = new Map<string, string>();
  if (fallbackNumber !== undefined) destinations.set("fallback_number", fallbackNumber);
  for (const [field, list] of Object.entries({ steps, closed_steps: closedSteps })) {
    for (const [step, { targets }] of list.entries()) {
      for (const [target, { phoneNumber, sipUri }] of targets.entries()) {
        const path = `${field}[${step}].targets[${target}]`;
        if (phoneNumber !== undefined) destinations.set(`${path}.phone_number`, phoneNumber);
        if (sipUri !== undefined) destinations.set(`${path}.sip_uri`, sipUri);
      }
    }
  }
  return destinations;
}

/** Returns the numbers that a call flow dials, in E.164 format, without duplicates and without the original number. */
export function numbersOf(settings: CallFlowSettings): readonly string[] {
  return [...new Set(Array.from(destinationsOf(settings).values(), numberOfDestination))].filter(
    (each) => each !== undefined,
  );
}

/** Returns the number of a destination, in E.164 format; undefined for a SIP URI whose user is not a number. */
export function numberOfDestination(destination: string): string | undefined {
  return destination.startsWith("+") ? destination : readSipUri(destination)?.number;
}

/**
 * Returns why a destination must not be dialed, as a human-readable clause; undefined if it may be dialed. The rules for numbers apply even
 * to a SIP URI whose user is a number, because its host may be a gateway to the telephone network.
 */
export function barredReason(allowed: AllowedDestinations, destination: string): string | undefined {
  const number = numberOfDestination(destination);
  const host = destination.startsWith("+") ? undefined : (readSipUri(destination)?.host ?? "");
  if (host !== undefined && !allowed.allowedSipHosts.includes(host)) {
    const hosts = allowed.allowedSipHosts.join(", ");
    return `its allowed_sip_hosts ${hosts === "" ? "is empty" : `contains only ${hosts}`}`;
  }
  return number === undefined ? undefined : barredNumberReason(allowed, number);
}
