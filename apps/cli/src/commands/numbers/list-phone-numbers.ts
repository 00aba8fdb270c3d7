import { type PhoneNumber, PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { readListPages } from "../../connection/read-list-pages.js";
import type { Invocation } from "../../invocation/invocation.js";

/** Reads an account's phone numbers, up to `limit`, page by page. */
export function listPhoneNumbers(
  invocation: Invocation,
  accountId: string,
  limit?: number,
): AsyncGenerator<PhoneNumber[]> {
  const client = invocation.client(PhoneNumberService);
  return readListPages((page) => client.listPhoneNumbers({ accountId, ...page }), limit);
}
