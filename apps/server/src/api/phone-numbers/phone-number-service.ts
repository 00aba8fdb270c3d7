import { create } from "@bufbuild/protobuf";
import {
  DomainError,
  type NewPhoneNumber,
  parseCreatePhoneNumber,
  parseGetPhoneNumber,
  parseListPhoneNumbers,
  parseUuid,
} from "@calltrack/domain";
import {
  ListPhoneNumbersResponseSchema,
  type PhoneNumber,
  type PhoneNumberService,
} from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { type Executor, isCheckViolation, isUniqueViolation } from "@calltrack/postgres";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountDirectory, ResolvedAccount } from "../../access/account-directory.js";
import { changeOriginOf } from "../../access/change-origin.js";
import { createOnce } from "../../database/idempotency/create-once.js";
import { createRequestKey, type RequestKey } from "../../database/idempotency/request-key.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { pagedListById, readPage } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { findPhoneNumber, insertPhoneNumber, listPhoneNumbers } from "./phone-number-repository.js";
import { findPhoneNumberId } from "./phone-number-statements.js";

const PHONE_NUMBERS = pagedListById<PhoneNumber>("phone_numbers");

/** Creates the implementation of PhoneNumberService. */
export function createPhoneNumberService(
  { db, reads }: DatabaseAccess,
  accounts: AccountDirectory,
): ServiceImpl<typeof PhoneNumberService> {
  return {
    async createPhoneNumber(request, context) {
      const phoneNumber = parseCreatePhoneNumber(request);
      const account = await accounts.require(phoneNumber.account);
      const key = createRequestKey(phoneNumber.requestId, request, context, account.accountId);
      return createPhoneNumber(db, account, phoneNumber, key, changeOriginOf(context));
    },

    async getPhoneNumber(request) {
      const { account, phoneNumberId } = parseGetPhoneNumber(request);
      const found = await findPhoneNumber(reads, await accounts.require(account), parseUuid(phoneNumberId));
      if (found === undefined) throw new DomainError("PHONE_NUMBER_NOT_FOUND", { phoneNumberId });
      return found;
    },

    async listPhoneNumbers(request) {
      const { account, page } = parseListPhoneNumbers(request);
      const { entries, nextPageToken } = await readPage(PHONE_NUMBERS, page, async (bounds) => {
        const owner = await accounts.require(account);
        return { owner: String(owner.accountId), entries: await listPhoneNumbers(reads, owner, bounds) };
      });
      return create(ListPhoneNumbersResponseSchema, { phoneNumbers: entries, nextPageToken });
    },
  };
}

/** Whether a number was rejected because it is in the inventory. Calls to it would be forwarded in a loop. */
export function isTrackingNumberViolation(error: unknown): boolean {
  return isCheckViolation(error, "phone_numbers_are_no_tracking_numbers");
}

async function createPhoneNumber(
  db: Executor,
  account: ResolvedAccount,
  phoneNumber: NewPhoneNumber,
  key: RequestKey | undefined,
  origin: ChangeOrigin,
): Promise<PhoneNumber> {
  const { phoneNumber: number } = phoneNumber;
  try {
    return await createOnce(db, key, (executor) => insertPhoneNumber(executor, account, phoneNumber, origin));
  } catch (error) {
    if (isTrackingNumberViolation(error)) {
      throw new DomainError("PHONE_NUMBER_IS_TRACKING_NUMBER", { phoneNumber: number });
    }
    if (!isUniqueViolation(error, "phone_numbers_are_unique_per_account")) throw error;
    const [existing] = await findPhoneNumberId(db, { accountId: account.accountId, phoneNumber: number });
    // Phone numbers are never deleted, so the conflicting one still exists.
    if (existing === undefined) throw error;
    throw new DomainError("PHONE_NUMBER_ALREADY_REGISTERED", { phoneNumber: number, phoneNumberId: existing.id });
  }
}
