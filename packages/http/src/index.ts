export { BodyRefusedError } from "./body-refused-error.js";
export type {
  BodyReceiver,
  Exchange,
  ExchangeHandler,
  HttpHeaders,
  Peer,
  RefusalReason,
} from "./exchange.js";
export { BodyBudget } from "./limits/body-budget.js";
export { networkOf, TrustedProxies } from "./limits/client-address.js";
export type { ConnectionListener } from "./limits/connection-limit.js";
export { DecompressionQueue } from "./limits/decompression-queue.js";
export { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./limits/http-limits.js";
export { ProgressTimeout } from "./limits/progress-timeout.js";
export { NodeExchange, type NodeRequest, type NodeResponse } from "./node/node-exchange.js";
export { createHttpServer, type HttpServer, type HttpServerOptions } from "./server.js";
export type { TlsClient } from "./tls/tls-clients.js";
export { readTlsFiles, TlsFileError, type TlsSettings } from "./tls/tls-files.js";
export { createTlsLayer, type TlsLayer, type TlsListener } from "./tls/tls-layer.js";
