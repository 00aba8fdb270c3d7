import { once } from "node:events";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";

/** The methods of a faulty server; those left out are unimplemented. */
export interface FaultyMethods {
  readonly accounts?: Partial<ServiceImpl<typeof AccountService>>;
  readonly numbers?: Partial<ServiceImpl<typeof PhoneNumberService>>;
  readonly pools?: Partial<ServiceImpl<typeof PoolService>>;
}

/** A server in this process, for faults of the transport that the real one can't be made to show. */
export interface FaultyServer {
  readonly url: string;
  close(): void;
}

/** Serves methods over cleartext HTTP/2 on a free port. */
export async function startFaultyServer({ accounts, numbers, pools }: FaultyMethods): Promise<FaultyServer> {
  const server = createServer(
    connectNodeAdapter({
      routes: (router) =>
        router
          .service(AccountService, accounts ?? {})
          .service(PhoneNumberService, numbers ?? {})
          .service(PoolService, pools ?? {}),
    }),
  );
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => sessions.add(session));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    for (const session of sessions) session.destroy();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
