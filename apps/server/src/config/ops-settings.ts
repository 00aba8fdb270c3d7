import type { Settings } from "./settings.js";

/** The environment variables of {@link OpsSettings}. */
export const OPS_VARIABLES = { host: "OPS_PORT", port: "OPS_PORT" };

/** The address that serves metrics and health, separate from that of the API. */
export interface OpsSettings {
  readonly host: string;
  /** 0 to 65535; 0 picks a free port. */
  readonly port: number;
}

/** A port, optionally after a host; an IPv6 address is in brackets. */
const HOST_AND_PORT = /^(?:([^[\]:]+|\[[\da-f:]+\]):)?(\d{1,5})$/i;

/**
 * Reads the address of metrics and health; undefined if only health is served, on the port of the API.
 *
 * @param apiHost the default host.
 */
export function readOpsSettings(settings: Settings, apiHost: string): OpsSettings | undefined {
  if (settings.text("OPS_PORT") === "") return undefined;
  const parse = (text: string) => {
    const [, host = apiHost, digits] = HOST_AND_PORT.exec(text) ?? [];
    return Number(digits) <= 65_535 ? { host: host.replace(/^\[|\]$/g, ""), port: Number(digits) } : undefined;
  };
  return settings.parse(
    "OPS_PORT",
    "",
    parse,
    "be a number from 0 to 65535, or a host and port such as 127.0.0.1:9464",
  );
}
