import { type PhoneNumber, PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import type { Page, PageRequest } from "../../connection/list-pages.js";
import type { Invocation } from "../../invocation/invocation.js";

/** Returns a function that reads one page of an account's phone numbers. */
export function readPhoneNumbers(
  invocation: Invocation,
  accountId: string,
): (request: PageRequest) => Promise<Page<PhoneNumber>> {
  const client = invocation.client(PhoneNumberService);
  return async (request) => {
    const { phoneNumbers, nextPageToken } = await client.listPhoneNumbers({ accountId, ...request }, invocation.call);
    return { items: phoneNumbers, nextPageToken };
  };
}
