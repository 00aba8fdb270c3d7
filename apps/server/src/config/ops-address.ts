/** Names the environment variables that set the host and the port of `OpsAddress`, for error messages. */
export const OPS_ADDRESS_VARIABLES = { host: "OPS_PORT", port: "OPS_PORT" };

/** The address that serves metrics and health checks. It is separate from the address of the API. */
export interface OpsAddress {
  readonly host: string;
  /** 0 to 65535. The server picks a free port for 0. */
  readonly port: number;
}

/** A port, or a host and a port; an IPv6 address is in brackets. */
const HOST_AND_PORT = /^(?:([^[\]:]+|\[[\da-f:]+\]):)?(\d{1,5})$/i;

/** Parses a port, or a host and a port; undefined if the text is neither. */
export function parseHostAndPort(text: string): { host: string | undefined; port: number } | undefined {
  const [, host, digits] = HOST_AND_PORT.exec(text) ?? [];
  return Number(digits) <= 65_535 ? { host: host?.replace(/^\[|\]$/g, ""), port: Number(digits) } : undefined;
}
