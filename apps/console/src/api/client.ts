import type { DescService } from "@bufbuild/protobuf";
import { type Client, Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { credential, signOut } from "./credential";
import { serverUrl } from "./settings";

/** Sends the credential, and shows the sign-in form if the server rejects it. */
const authenticate: Interceptor = (next) => async (request) => {
  const secret = credential.peek();
  if (secret !== undefined) request.header.set("authorization", `Bearer ${secret}`);
  try {
    return await next(request);
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    // A late response to an earlier credential must not sign out the current one.
    if (code === Code.Unauthenticated && secret === credential.peek()) signOut(rawMessage);
    throw error;
  }
};

const transport = createConnectTransport({
  baseUrl: serverUrl,
  interceptors: [authenticate],
  useBinaryFormat: true,
});

/** Returns a client for an API service. Each page names the services that it calls, so it loads the code of no others. */
export function api<T extends DescService>(service: T): Client<T> {
  return createClient(service, transport);
}

/** Returns a random UUID (version 4), the idempotency key that requests for a secret require. `crypto.randomUUID` needs a page over HTTPS. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join("-");
}
