import type { Interceptor } from "@connectrpc/connect";
import { UsageError } from "../process/usage-error.js";

/** The `b64token` of RFC 6750 section 2.1. */
const TOKEN = /^[\w.~+/-]+=*$/;

/**
 * Creates an interceptor that sends the key with each request.
 *
 * @param key an API key or access token.
 * @throws UsageError if the key is malformed. The error message does not contain the key.
 */
export function createBearerAuthInterceptor(key: string): Interceptor {
  if (!TOKEN.test(key)) throw new UsageError("the key is malformed: pass an API key or an access token");
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${key}`);
    return next(request);
  };
}
