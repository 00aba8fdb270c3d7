import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { AuditService } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import { CallService } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { CallerService } from "@calltrack/domain/gen/calltracking/v1/caller_pb";
import { ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import { DniService } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { InventoryService } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { type Client, Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { credential, signOut } from "./credential";
import { recordRequest } from "./request-history";
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

const record: Interceptor = (next) => (request) => {
  if (!request.stream) recordRequest(request.method, request.message);
  return next(request);
};

const transport = createConnectTransport({ baseUrl: serverUrl, interceptors: [record, authenticate] });

/** Clients of the services of the API. */
export interface Api {
  readonly accounts: Client<typeof AccountService>;
  readonly audit: Client<typeof AuditService>;
  readonly callers: Client<typeof CallerService>;
  readonly calls: Client<typeof CallService>;
  readonly clock: Client<typeof ClockService>;
  readonly dni: Client<typeof DniService>;
  readonly inventory: Client<typeof InventoryService>;
  readonly phoneNumbers: Client<typeof PhoneNumberService>;
  readonly pools: Client<typeof PoolService>;
}

export const api: Api = {
  accounts: createClient(AccountService, transport),
  audit: createClient(AuditService, transport),
  callers: createClient(CallerService, transport),
  calls: createClient(CallService, transport),
  clock: createClient(ClockService, transport),
  dni: createClient(DniService, transport),
  inventory: createClient(InventoryService, transport),
  phoneNumbers: createClient(PhoneNumberService, transport),
  pools: createClient(PoolService, transport),
};
