import { create } from "@bufbuild/protobuf";
import { DomainError } from "@calltrack/domain";
import { ListPhoneNumbersResponseSchema } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { isCheckViolation, isUniqueViolation } from "@calltrack/postgres";
import { createResourceOnce } from "../../database/idempotency/create-resource-once.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import type { ServiceImplementation } from "../methods/method-row.js";
import type { PHONE_NUMBER_METHODS } from "./phone-number-methods.js";
import {
  findPhoneNumberIdStatement,
  insertPhoneNumber,
  listPhoneNumbers,
  requirePhoneNumber,
} from "./phone-number-repository.js";

export function createPhoneNumberService({ db }: DatabaseAccess): ServiceImplementation<typeof PHONE_NUMBER_METHODS> {
  return {
    async createPhoneNumber(wanted, { account, key, origin }) {
      const { phoneNumber } = wanted;
      try {
        return await createResourceOnce(db, key, (executor) => insertPhoneNumber(executor, account, wanted, origin));
      } catch (error) {
        if (isTrackingNumberViolation(error)) throw new DomainError("PHONE_NUMBER_IS_TRACKING_NUMBER", { phoneNumber });
        if (!isUniqueViolation(error, "phone_numbers_are_unique_per_account")) throw error;
        const [existing] = await findPhoneNumberIdStatement(db, { accountId: account.accountId, phoneNumber });
        // Phone numbers are never deleted, so the conflicting number still exists.
        if (existing === undefined) throw error;
        throw new DomainError("PHONE_NUMBER_ALREADY_REGISTERED", { phoneNumber, phoneNumberId: existing.id });
      }
    },

    getPhoneNumber: ({ phoneNumberId }, { account }) => requirePhoneNumber(db, account, phoneNumberId),

    async listPhoneNumbers(_, { account, readPage }) {
      const { entries, nextPageToken } = await readPage(String(account.accountId), (bounds) =>
        listPhoneNumbers(db, account, bounds),
      );
      return create(ListPhoneNumbersResponseSchema, { phoneNumbers: entries, nextPageToken });
    },
  };
}

/** Whether the database rejected an original number because the number is in the inventory: calls to such a number would loop. */
export function isTrackingNumberViolation(error: unknown): boolean {
  return isCheckViolation(error, "phone_numbers_are_no_tracking_numbers");
}
