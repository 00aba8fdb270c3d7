import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { HTTP_VERSIONS, type HttpVersion, sendHttp } from "./http-request.js";

export interface ListAnswer {
  readonly headers: Headers;
  /** Whether the account was found. */
  readonly isFound: boolean;
}

/** A combination of protocol and client in which to list the pools of an account. */
export interface CallVariant {
  readonly title: string;
  /** The name of the protocol in metrics and logs. */
  readonly protocol: "json" | "grpc" | "grpc-web" | "connect";
  readonly listPools: (
    port: number,
    account: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<ListAnswer>;
}

/** Variants that cover all code paths of the server for unary RPCs. */
export const CALL_VARIANTS: readonly CallVariant[] = [
  ...HTTP_VERSIONS.map(
    (version): CallVariant => ({
      title: `JSON on ${version}`,
      protocol: "json",
      listPools: (...request) => listOverJson(version, ...request),
    }),
  ),
  overTransport("gRPC", "grpc", (baseUrl) => createGrpcTransport({ baseUrl })),
  overTransport("compressed gRPC", "grpc", (baseUrl) =>
    createGrpcTransport({ baseUrl, compressMinBytes: 0, sendCompression: compressionGzip }),
  ),
  overTransport("gRPC-Web", "grpc-web", (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })),
  overTransport("Connect", "connect", (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" })),
];

async function listOverJson(
  version: HttpVersion,
  port: number,
  account: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ListAnswer> {
  const answer = await sendHttp(version, port, { target: `/dni_manager/accounts/${account}/pools`, headers });
  return {
    headers: new Headers(Object.entries(answer.headers).filter(isPlainHeader)),
    isFound: answer.status === 200,
  };
}

function isPlainHeader(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === "string" && !entry[0].startsWith(":");
}

function overTransport(
  title: string,
  protocol: CallVariant["protocol"],
  open: (baseUrl: string) => Transport,
): CallVariant {
  return {
    title,
    protocol,
    async listPools(port, account, headers) {
      let received = new Headers();
      const onHeader = (header: Headers) => {
        received = header;
      };
      const client = createClient(PoolService, open(`http://127.0.0.1:${port}`));
      try {
        await client.listPools({ accountId: account }, { onHeader, ...(headers && { headers }) });
        return { headers: received, isFound: true };
      } catch (error) {
        // If an RPC fails, connect-node does not call onHeader: the error contains the headers.
        return { headers: ConnectError.from(error).metadata, isFound: false };
      }
    },
  };
}
