import type { DescService } from "@bufbuild/protobuf";
import { type Client, Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { credential, signOut } from "./credential";
import { serverUrl } from "./settings";

/** Sends the credential, and asks for another one if the server rejects it. */
const authenticate: Interceptor = (next) => async (request) => {
  const secret = credential.peek();
  if (secret !== undefined) request.header.set("authorization", `Bearer ${secret}`);
  try {
    return await next(request);
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    // A response to an earlier credential does not end the session of the current one.
    if (code === Code.Unauthenticated && secret === credential.peek()) signOut(rawMessage);
    throw error;
  }
};

const transport = createConnectTransport({
  baseUrl: serverUrl,
  interceptors: [authenticate],
  useBinaryFormat: true,
});

/** Returns a client of a service of the API. Each page names the services it uses, and so loads no others. */
export function api<T extends DescService>(service: T): Client<T> {
  return createClient(service, transport);
}

/**
 * Returns a new idempotency key: a random UUID (version 4), which requests for a secret require. `crypto.randomUUID` is only on pages over
 * HTTPS.
 */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join("-");
}
