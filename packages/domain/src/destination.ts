import { type AllowedNumbers, findBarredNumberReason } from "./allowed-numbers.js";
import type { CallFlowSettings } from "./gen/calltracking/v1/call_flow_pb.js";
import { readSipUri } from "./sip-uri.js";

/** The phone numbers and SIP URIs that a phone system may dial. */
export interface AllowedDestinations extends AllowedNumbers {
  /** The hosts of the SIP URIs that may be dialed, in lower case. Empty if no SIP URI may be dialed. */
  readonly allowedSipHosts: readonly string[];
}

/**
 * Returns the destinations in a call flow, keyed by the path of the field, such as `steps[0].targets[1].sip_uri`. A destination is a number in E.164
 * format or a SIP URI. Leaves out the original number.
 */
export function listCallFlowDestinations({
  fallbackNumber,
  steps,
  closedSteps,
}: CallFlowSettings): ReadonlyMap<string, string> {
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

/** Lists the numbers that a call flow dials, in E.164 format, without duplicates. Leaves out the original number. */
export function listCallFlowNumbers(settings: CallFlowSettings): readonly string[] {
  return [...new Set(Array.from(listCallFlowDestinations(settings).values(), findDestinationNumber))].filter(
    (each) => each !== undefined,
  );
}

/**
 * Returns the phone number of a destination: the destination itself, or the user part of a SIP URI. Returns undefined if the user part is not a phone
 * number.
 */
export function findDestinationNumber(destination: string): string | undefined {
  return destination.startsWith("+") ? destination : readSipUri(destination)?.number;
}

/**
 * Returns why a destination must not be dialed, as a human-readable clause; undefined if it may be dialed. The rules for numbers apply even
 * to a SIP URI whose user is a number, because the URI's host may be a gateway to the telephone network.
 */
export function findBarredDestinationReason(allowed: AllowedDestinations, destination: string): string | undefined {
  const number = findDestinationNumber(destination);
  const host = destination.startsWith("+") ? undefined : (readSipUri(destination)?.host ?? "");
  if (host !== undefined && !allowed.allowedSipHosts.includes(host)) {
    const hosts = allowed.allowedSipHosts.join(", ");
    return hosts === "" ? "allowed_sip_hosts is empty" : `allowed_sip_hosts contains only ${hosts}`;
  }
  return number === undefined ? undefined : findBarredNumberReason(allowed, number);
}
