import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import type { Logger } from "pino";

/** Logs each request with its method, outcome and duration: at warn if the service failed, else at debug. */
export function requestLogInterceptor(log: Logger): Interceptor {
  return (next) => async (request) => {
    const start = performance.now();
    const outcome = (code: string) => ({
      method: `${request.service.typeName}/${request.method.name}`,
      code,
      ms: Math.round((performance.now() - start) * 1000) / 1000,
    });
    try {
      const response = await next(request);
      if (log.isLevelEnabled("debug")) log.debug(outcome("ok"), "request");
      return response;
    } catch (error) {
      const { code } = ConnectError.from(error);
      const level = isFailure(code) ? "warn" : "debug";
      if (log.isLevelEnabled(level)) log[level](outcome(Code[code]), "request");
      throw error;
    }
  };
}

function isFailure(code: Code): boolean {
  return code === Code.Internal || code === Code.Unknown || code === Code.Unavailable || code === Code.DataLoss;
}
