import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

/** Logs each completed request: method, status code and duration. */
export function createRequestLogInterceptor(write: (line: string) => void): Interceptor {
  return (next) => async (request) => {
    const started = performance.now();
    const report = (outcome: string): void => {
      const { parent, name } = request.method;
      write(`${parent.typeName}/${name} ${outcome} ${(performance.now() - started).toFixed(1)} ms\n`);
    };
    try {
      const response = await next(request);
      report("OK");
      return response;
    } catch (error) {
      report(formatGrpcStatusCode(ConnectError.from(error).code));
      throw error;
    }
  };
}

/** Returns the name that gRPC's documentation uses for a status code, such as `INVALID_ARGUMENT`. */
export function formatGrpcStatusCode(code: Code): string {
  return Code[code].replace(/(?<=[a-z])[A-Z]/g, "_$&").toUpperCase();
}
