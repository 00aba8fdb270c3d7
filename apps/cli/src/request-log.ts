import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

/** Reports each request when it ends: its method, the code of its outcome and its time. */
export function createRequestLog(write: (line: string) => void): Interceptor {
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
      report(codeName(ConnectError.from(error).code));
      throw error;
    }
  };
}

/** The name of a code as gRPC documents it, such as `INVALID_ARGUMENT`. */
export function codeName(code: Code): string {
  return Code[code].replace(/(?<=[a-z])[A-Z]/g, "_$&").toUpperCase();
}
