import type { DescService } from "@bufbuild/protobuf";
import { type Client, Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { credential, signOut } from "./credential";
import { serverUrl } from "./settings";

/** Sends the user's credential with each request. Shows the sign-in form if the server rejects the credential. */
const authenticate: Interceptor = (next) => async (request) => {
  const secret = credential.peek();
  if (secret !== undefined) request.header.set("authorization", `Bearer ${secret}`);
  try {
    return await next(request);
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    // A late response to a request with an earlier credential must not end the current sign-in.
    if (code === Code.Unauthenticated && secret === credential.peek()) signOut(rawMessage);
    throw error;
  }
};

const transport = createConnectTransport({
  baseUrl: serverUrl,
  interceptors: [authenticate],
  useBinaryFormat: true,
});

/** Returns a client for an API service. A page imports only the services that it calls, so the browser loads no code for other services. */
export function createApiClient<T extends DescService>(service: T): Client<T> {
  return createClient(service, transport);
}

/** Returns a version 4 UUID for `request_id`: requests that return a secret require a UUID. `crypto.randomUUID` would require HTTPS. */
export function generateRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join("-");
}
