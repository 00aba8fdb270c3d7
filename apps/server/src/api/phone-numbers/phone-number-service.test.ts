import { describe, expect, test } from "vitest";
import type { RequestFields } from "../../testing/api-client.js";
import { describeBehavior } from "../../testing/behavior.js";
import { createInvalidFieldRefusal, requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import { newAccount, newAccountWithNumber, uniqueNumber, uniqueToken } from "../../testing/request-fields.js";
import { TIMESTAMP } from "../../testing/timestamp.js";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describeBehavior("phone numbers", (service) => {
  /** Registers a phone number of a new account. */
  async function register(fields: RequestFields) {
    const { account_token: account_id } = await newAccount(service.api);
    return service.api.createPhoneNumber({ account_id, ...fields });
  }

  describe("CreatePhoneNumber", () => {
    test("registers a number without other fields", async () => {
      const { account_token } = await newAccount(service.api);
      const fields = { account_id: account_token, phone_number: "+12223334444" };
      const phoneNumber = await service.api.createPhoneNumber(fields);
      expect(phoneNumber).toEqual({
        id: expect.stringMatching(UUID_V7),
        account_token,
        phone_number: "+12223334444",
        description: null,
        property_token: null,
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: phoneNumber.created_at,
      });
    });

    test("keeps the description and the property, and accepts the account's id", async () => {
      const { id, account_token } = await newAccount(service.api);
      const fields = { phone_number: uniqueNumber(), description: "front desk\n☎", property_token: "shop/1" };
      const phoneNumber = await service.api.createPhoneNumber({ account_id: String(id), ...fields });
      expect(phoneNumber).toMatchObject({ ...fields, account_token });
    });

    test("keeps an empty description, and treats an empty property as absent", async () => {
      const fields = { phone_number: uniqueNumber(), description: "", property_token: "" };
      expect(await register(fields)).toMatchObject({ description: "", property_token: null });
    });

    test.each(["+1234567", "+123456789012345", "+12223334444", "+999999999999999"])(
      "accepts %s",
      async (phone_number) => {
        expect(await register({ phone_number })).toMatchObject({ phone_number });
      },
    );

    test.each(["", "12223334444", "+12223334444\n", "tel:+12223334444"])(
      "rejects %j, which is not in E.164 format",
      async (phone_number) => {
        const problem = "must be a phone number in E.164 format, such as +12223334444";
        expect(await requireRefusal(register({ phone_number }))).toMatchObject(
          createInvalidFieldRefusal("phone_number", problem),
        );
      },
    );

    test("reports all violations at once", async () => {
      const refused = await requireRefusedFields(register({ description: "x".repeat(1001), property_token: "a b" }));
      expect(refused).toEqual(["description", "phone_number", "property_token"]);
    });

    test("rejects a number that the account has registered, with its id in the metadata", async () => {
      const { account, number, numberId } = await newAccountWithNumber(service.api);
      const again = { account_id: String(account.id), phone_number: number };
      expect(await requireRefusal(service.api.createPhoneNumber(again))).toMatchObject({
        status: "ALREADY_EXISTS",
        message: `phone_number "${number}" is already registered under this account: use the phone number with id ${numberId}`,
        reason: "PHONE_NUMBER_ALREADY_REGISTERED",
        metadata: { phone_number_id: numberId },
      });
    });

    test("allows one number on two accounts", async () => {
      const { number, numberId } = await newAccountWithNumber(service.api);
      const { account_token } = await newAccount(service.api);
      const other = await service.api.createPhoneNumber({ account_id: account_token, phone_number: number });
      expect(other).toMatchObject({ account_token, phone_number: number });
      expect(other.id).not.toBe(numberId);
    });

    test("works on a disabled account", async () => {
      const { id, account_token: account_id } = await newAccount(service.api);
      await service.api.updateAccount({ id, is_active: false });
      const created = await service.api.createPhoneNumber({ account_id, phone_number: uniqueNumber() });
      expect(await service.api.getPhoneNumber({ account_id, phone_number_id: created.id })).toEqual(created);
    });

    test("validates the fields before looking up the account", async () => {
      const account_id = uniqueToken("nobody");
      const invalid = await requireRefusal(service.api.createPhoneNumber({ account_id, phone_number: "1" }));
      expect(invalid).toMatchObject({ status: "INVALID_ARGUMENT", violations: [{ field: "phone_number" }] });
      const valid = await requireRefusal(service.api.createPhoneNumber({ account_id, phone_number: uniqueNumber() }));
      expect(valid).toMatchObject({ status: "NOT_FOUND", reason: "ACCOUNT_NOT_FOUND" });
    });
  });

  describe("GetPhoneNumber", () => {
    test("returns what CreatePhoneNumber returned, by an id in any case", async () => {
      const created = await register({ phone_number: uniqueNumber() });
      for (const phone_number_id of [created.id, created.id.toUpperCase()]) {
        const found = await service.api.getPhoneNumber({ account_id: created.account_token, phone_number_id });
        expect(found).toEqual(created);
      }
    });

    test.each(["no-uuid", "0", "{01890000-0000-7000-8000-000000000000}", "01890000000070008000000000000000"])(
      "returns not found for the invalid id %s",
      async (phone_number_id) => {
        const { account_token } = await newAccount(service.api);
        const refusal = await requireRefusal(
          service.api.getPhoneNumber({ account_id: account_token, phone_number_id }),
        );
        expect(refusal).toMatchObject({
          status: "NOT_FOUND",
          message: `phone number "${phone_number_id}" not found under this account: check the id and the account`,
          reason: "PHONE_NUMBER_NOT_FOUND",
        });
      },
    );

    test("returns the same error for another account's number as for an unknown one", async () => {
      const { numberId } = await newAccountWithNumber(service.api);
      const { account_token } = await newAccount(service.api);
      const refusalFor = (phone_number_id: string) =>
        requireRefusal(service.api.getPhoneNumber({ account_id: account_token, phone_number_id }));
      const missing = crypto.randomUUID();
      const unknown = JSON.stringify(await refusalFor(missing));
      expect(JSON.stringify(await refusalFor(numberId))).toBe(unknown.replaceAll(missing, numberId));
    });
  });

  describe("ListPhoneNumbers", () => {
    test("returns only the account's numbers, in the order of their registration", async () => {
      const { account_token: account_id } = await newAccount(service.api);
      const created = [];
      for (let count = 0; count < 5; count++) {
        created.push(await service.api.createPhoneNumber({ account_id, phone_number: uniqueNumber() }));
      }
      await newAccountWithNumber(service.api);
      const list = await service.api.listPhoneNumbers({ account_id });
      expect(list).toEqual({ entries: created, nextPageToken: "" });
    });

    test("returns an empty list for an account without numbers", async () => {
      const { account_token } = await newAccount(service.api);
      const list = await service.api.listPhoneNumbers({ account_id: account_token });
      expect(list).toEqual({ entries: [], nextPageToken: "" });
    });
  });
});
