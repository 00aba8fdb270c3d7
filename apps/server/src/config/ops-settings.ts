/** The environment variables that set `OpsSettings`, for error messages. */
export const OPS_VARIABLES = { host: "OPS_PORT", port: "OPS_PORT" };

/** The address that serves metrics and health checks, separate from that of the API. */
export interface OpsSettings {
  readonly host: string;
  /** 0 to 65535; 0 picks a free port. */
  readonly port: number;
}

/** A port, or a host and a port; an IPv6 address is in brackets. */
const HOST_AND_PORT = /^(?:([^[\]:]+|\[[\da-f:]+\]):)?(\d{1,5})$/i;

/** Parses a port, or a host and a port; undefined if the text is neither. */
export function parseHostAndPort(text: string): { host: string | undefined; port: number } | undefined {
  const [, host, digits] = HOST_AND_PORT.exec(text) ?? [];
  return Number(digits) <= 65_535 ? { host: host?.replace(/^\[|\]$/g, ""), port: Number(digits) } : undefined;
}
