import { expect, test } from "vitest";
import { describeBehavior } from "../../testing/behavior.js";
import { requireRefusal } from "../../testing/refusal.js";
import {
  createAutomanagedPoolFields,
  createManualPoolFields,
  newAccount,
  newAccountWithNumber,
  uniqueNumber,
  uniqueToken,
} from "../../testing/request-fields.js";

describeBehavior(
  "with UNREGISTERED_NUMBERS=register",
  (service) => {
    test("creating a pool registers its number", async () => {
      const account = await newAccount(service.api);
      const number = uniqueNumber();
      const pool = await service.api.createPool(createAutomanagedPoolFields(account, number));
      const { entries } = await service.api.listPhoneNumbers({ account_id: account.account_token });
      expect(entries).toEqual([
        {
          id: pool.original_number_id,
          account_token: account.account_token,
          phone_number: number,
          description: null,
          property_token: null,
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      ]);
      expect(await service.api.listPools({ account_id: account.account_token })).toMatchObject({ entries: [pool] });
      const audited = await service.api.listAuditEntries({ account_id: account.account_token, page_size: 2 });
      expect(new Map(audited.entries.map(({ resource_id, method }) => [resource_id, method]))).toEqual(
        new Map([pool.id, pool.original_number_id].map((id) => [id, "CreatePool"])),
      );
    });

    test("uses a registered number unchanged", async () => {
      const { account, number, numberId } = await newAccountWithNumber(service.api);
      for (let count = 0; count < 2; count++) {
        const pool = await service.api.createPool(createManualPoolFields(account, number));
        expect(pool.original_number_id).toBe(numberId);
      }
      expect((await service.api.listPhoneNumbers({ account_id: account.account_token })).entries).toHaveLength(1);
    });

    test("registers a number that another account has registered", async () => {
      const { number, numberId } = await newAccountWithNumber(service.api);
      const account = await newAccount(service.api);
      expect((await service.api.createPool(createManualPoolFields(account, number))).original_number_id).not.toBe(
        numberId,
      );
    });

    test("rejects a disabled account, and registers nothing", async () => {
      const account = await newAccount(service.api);
      await service.api.updateAccount({ id: account.id, is_active: false });
      const refusal = await requireRefusal(service.api.createPool(createManualPoolFields(account, uniqueNumber())));
      expect(refusal).toMatchObject({ status: "FAILED_PRECONDITION", reason: "ACCOUNT_DISABLED" });
      expect((await service.api.listPhoneNumbers({ account_id: account.account_token })).entries).toEqual([]);
    });

    test("registers nothing for an invalid pool", async () => {
      const account = await newAccount(service.api);
      const refusal = await requireRefusal(
        service.api.createPool(createManualPoolFields(account, uniqueNumber(), { size: 0 })),
      );
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "FIELD_INVALID" });
      expect((await service.api.listPhoneNumbers({ account_id: account.account_token })).entries).toEqual([]);
    });

    test("returns not found for an unknown account", async () => {
      const nobody = { ...(await newAccount(service.api)), account_token: uniqueToken("nobody") };
      const refusal = await requireRefusal(service.api.createPool(createManualPoolFields(nobody, uniqueNumber())));
      expect(refusal).toMatchObject({ status: "NOT_FOUND", reason: "ACCOUNT_NOT_FOUND" });
    });

    test("rejects a number in the inventory, and registers nothing", async () => {
      const account = await newAccount(service.api);
      const number = uniqueNumber();
      await service.api.addTrackingNumbers({ tracking_numbers: [{ phone_number: number, area_code: "0123" }] });
      const refusal = await requireRefusal(service.api.createPool(createManualPoolFields(account, number)));
      expect(refusal).toMatchObject({ status: "FAILED_PRECONDITION", reason: "PHONE_NUMBER_IS_TRACKING_NUMBER" });
      expect((await service.api.listPhoneNumbers({ account_id: account.account_token })).entries).toEqual([]);
      expect((await service.api.listPools({ account_id: account.account_token })).entries).toEqual([]);
    });

    test("rejects a number that is not in E.164 format", async () => {
      const account = await newAccount(service.api);
      const refusal = await requireRefusal(service.api.createPool(createManualPoolFields(account, "12223334444")));
      expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", violations: [{ field: "original_number" }] });
    });
  },
  { unregisteredNumbers: "register" },
);
