import type { TlsListener } from "@calltrack/http";
import type { Logger } from "pino";

/** Logs failed handshakes and new certificates. */
export function tlsLog(log: Logger): TlsListener {
  return {
    handshakeFailed: (error) => log.debug({ err: error }, "a TLS handshake failed"),
    filesReplaced: () => log.info("took a new TLS certificate"),
    filesUnusable: (error) =>
      log.error({ err: error }, "the files for TLS cannot be used: the certificate stays as it was"),
  };
}
