import type { Interceptor } from "@connectrpc/connect";
import { UsageError } from "./usage-error.js";

/** RFC 6750 section 2.1. */
const TOKEN = /^[\w.~+/-]+=*$/;

/**
 * Says who calls, with each request: by an API key or an access token.
 *
 * @throws UsageError for what is neither; it does not repeat it.
 */
export function createBearer(key: string): Interceptor {
  if (!TOKEN.test(key)) throw new UsageError("what is given for a key is no API key and no access token");
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${key}`);
    return next(request);
  };
}
