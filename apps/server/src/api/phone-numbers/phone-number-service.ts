import { create } from "@bufbuild/protobuf";
import { DomainError, parseCreatePhoneNumber, parseGetPhoneNumber, parseListPhoneNumbers } from "@calltrack/domain";
import {
  ListPhoneNumbersResponseSchema,
  type PhoneNumber,
  type PhoneNumberService,
} from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { isCheckViolation, isUniqueViolation } from "@calltrack/postgres";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountDirectory } from "../../access/account-directory.js";
import { changeOriginOf } from "../../access/change-origin.js";
import { createRequestKey } from "../../access/create-request-key.js";
import { createOnce } from "../../database/idempotency/create-once.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { pagedListById, readPage } from "../../database/page.js";
import {
  findPhoneNumberId,
  insertPhoneNumber,
  listPhoneNumbers,
  requirePhoneNumber,
} from "./phone-number-repository.js";

const PHONE_NUMBERS = pagedListById<PhoneNumber>("phone_numbers");

/** Creates the implementation of PhoneNumberService. */
export function createPhoneNumberService(
  { db }: DatabaseAccess,
  accounts: AccountDirectory,
): ServiceImpl<typeof PhoneNumberService> {
  return {
    async createPhoneNumber(request, context) {
      const wanted = parseCreatePhoneNumber(request);
      const { phoneNumber } = wanted;
      const account = await accounts.require(wanted.account);
      const key = createRequestKey(wanted.requestId, request, context, account.accountId);
      const origin = changeOriginOf(context);
      try {
        return await createOnce(db, key, (executor) => insertPhoneNumber(executor, account, wanted, origin));
      } catch (error) {
        if (isTrackingNumberViolation(error)) throw new DomainError("PHONE_NUMBER_IS_TRACKING_NUMBER", { phoneNumber });
        if (!isUniqueViolation(error, "phone_numbers_are_unique_per_account")) throw error;
        const [existing] = await findPhoneNumberId(db, { accountId: account.accountId, phoneNumber });
        // Phone numbers are never deleted, so the conflicting one still exists.
        if (existing === undefined) throw error;
        throw new DomainError("PHONE_NUMBER_ALREADY_REGISTERED", { phoneNumber, phoneNumberId: existing.id });
      }
    },

    async getPhoneNumber(request) {
      const { account, phoneNumberId } = parseGetPhoneNumber(request);
      return requirePhoneNumber(db, await accounts.require(account), phoneNumberId);
    },

    async listPhoneNumbers(request) {
      const { account, page } = parseListPhoneNumbers(request);
      const { entries, nextPageToken } = await readPage(PHONE_NUMBERS, page, async (bounds) => {
        const owner = await accounts.require(account);
        return { owner: String(owner.accountId), entries: await listPhoneNumbers(db, owner, bounds) };
      });
      return create(ListPhoneNumbersResponseSchema, { phoneNumbers: entries, nextPageToken });
    },
  };
}

/** Whether a number was rejected because it is in the inventory. Calls to it would be forwarded in a loop. */
export function isTrackingNumberViolation(error: unknown): boolean {
  return isCheckViolation(error, "phone_numbers_are_no_tracking_numbers");
}
