import type { Logger } from "pino";
import type { TlsListener } from "./tls/tls-layer.js";

/** Logs failed handshakes and new certificates. */
export function tlsLog(log: Logger): TlsListener {
  return {
    handshakeFailed: (error) => log.debug({ err: error }, "a TLS handshake failed"),
    filesReplaced: () => log.info("loaded a new TLS certificate"),
    filesUnusable: (error) =>
      log.error({ err: error }, "the TLS files cannot be used: keeping the current certificate"),
  };
}
