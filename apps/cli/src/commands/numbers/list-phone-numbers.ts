import { type PhoneNumber, PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { listPages } from "../../connection/list-pages.js";
import type { Invocation } from "../../invocation/invocation.js";

/** Lists the phone numbers of an account, or the first `limit` of them. */
export function listPhoneNumbers(
  invocation: Invocation,
  accountId: string,
  limit?: number,
): AsyncGenerator<PhoneNumber[]> {
  const client = invocation.client(PhoneNumberService);
  return listPages((page) => client.listPhoneNumbers({ accountId, ...page }), limit);
}
