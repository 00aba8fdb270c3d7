import { expect, test } from "vitest";
import { describeOnEngines } from "../../testing/behavior.js";
import { newAccount, uniqueNumber } from "../../testing/request-fields.js";
import { isTrackingNumberViolation } from "../phone-numbers/phone-number-service.js";
import { inventoryCarrier } from "./inventory-carrier.js";

let areaCodes = 10_000;

describeOnEngines("the inventory carrier", (service) => {
  const db = () => service.server.database.db;
  const kysely = () => service.server.database.kysely;
  const stateOf = async (phone_number: string) =>
    (await service.clients.grpc.listTrackingNumbers({})).entries.find((entry) => entry.phone_number === phone_number);

  async function addNumbers(count: number) {
    const areaCode = String(areaCodes++);
    const numbers = Array.from({ length: count }, uniqueNumber);
    const tracking_numbers = numbers.map((phone_number) => ({ phone_number, area_code: areaCode }));
    await service.clients.grpc.addTrackingNumbers({ tracking_numbers });
    return { areaCode, numbers: numbers.toSorted() };
  }

  function purchaseOf(trackingNumber: string) {
    return { trackingNumber, accountId: 7, poolId: crypto.randomUUID(), callTrackerId: crypto.randomUUID() };
  }

  /** Searches and buys numbers, like a pass. */
  function take(areaCode: string, count: number): Promise<readonly string[]> {
    return db().transaction(async (transaction) => {
      const found = await inventoryCarrier.search(transaction, areaCode, count);
      await inventoryCarrier.buy(transaction, found.map(purchaseOf));
      return found;
    });
  }

  test("finds the requested count of numbers, longest free first", async () => {
    const { areaCode, numbers } = await addNumbers(4);
    const [first] = await take(areaCode, 1);
    expect(first).toBe(numbers[0]);
    await inventoryCarrier.release(db(), [first as string], 0);
    expect(await take(areaCode, 2)).toEqual(numbers.slice(1, 3));
    expect(await take(areaCode, 10)).toEqual([numbers[3], first]);
    expect(await take(areaCode, 1)).toEqual([]);
  });

  test("never gives one number to two concurrent transactions", async () => {
    const { areaCode, numbers } = await addNumbers(50);
    const taken = await Promise.all(Array.from({ length: 12 }, () => take(areaCode, 5)));
    const all = taken.flat();
    expect(new Set(all).size).toBe(all.length);
    // A search skips numbers that other transactions have locked, so it may find fewer numbers. A later search finds the rest.
    const rest = await take(areaCode, 50);
    expect([...all, ...rest].toSorted()).toEqual(numbers);
  });

  test("leaves the numbers of a failed transaction free", async () => {
    const { areaCode, numbers } = await addNumbers(2);
    const failing = db().transaction(async (transaction) => {
      const found = await inventoryCarrier.search(transaction, areaCode, 2);
      await inventoryCarrier.buy(transaction, found.map(purchaseOf));
      throw new Error("the pass failed");
    });
    await expect(failing).rejects.toThrow("the pass failed");
    expect(await take(areaCode, 2)).toEqual(numbers);
  });

  test("a released number rests, becomes free again, and keeps its last holder", async () => {
    const { areaCode } = await addNumbers(1);
    const [number] = (await take(areaCode, 1)) as [string];
    const assigned = await stateOf(number);
    expect(assigned).toMatchObject({ state: "assigned", account_id: 7, rests_until: null });
    await inventoryCarrier.release(db(), [number], 60_000);
    const holder = { account_id: 7, pool_id: assigned?.pool_id, call_tracker_id: assigned?.call_tracker_id };
    const resting = await stateOf(number);
    expect(resting).toMatchObject({ state: "resting", ...holder });
    expect(Date.parse(resting?.rests_until ?? "") - Date.parse(resting?.updated_at ?? "")).toBeGreaterThan(50_000);
    expect(await take(areaCode, 1)).toEqual([]);
    await kysely()
      .updateTable("tracking_numbers")
      .set({ free_from: new Date(0) })
      .where("phone_number", "=", number)
      .execute();
    expect(await stateOf(number)).toMatchObject({ state: "free", ...holder, rests_until: null });
    expect(await take(areaCode, 1)).toEqual([number]);
  });

  test("never finds a retiring number again", async () => {
    const { areaCode } = await addNumbers(1);
    const [number] = (await take(areaCode, 1)) as [string];
    await service.clients.grpc.retireTrackingNumber({ phone_number: number });
    await inventoryCarrier.release(db(), [number], 0);
    expect(await stateOf(number)).toMatchObject({ state: "retired", account_id: 7 });
    expect(await take(areaCode, 1)).toEqual([]);
  });

  test("a retirement during a pass waits for it, and then finds the number assigned", async () => {
    const { areaCode, numbers } = await addNumbers(1);
    const retire = () => service.clients.grpc.retireTrackingNumber({ phone_number: numbers[0] });
    const [taken, retired] = await Promise.all([take(areaCode, 1), retire()]);
    expect([...taken, retired.state]).toEqual(taken.length === 0 ? ["retired"] : [numbers[0], "retiring"]);
  });

  test("fails to buy a number that is not free, and to release one without a holder", async () => {
    const { areaCode, numbers } = await addNumbers(1);
    await expect(inventoryCarrier.release(db(), numbers, 0)).rejects.toThrow("not held by a call tracker: +");
    await take(areaCode, 1);
    await expect(inventoryCarrier.buy(db(), numbers.map(purchaseOf))).rejects.toThrow("not free: +");
    await expect(inventoryCarrier.buy(db(), [])).resolves.toBeUndefined();
  });

  test("the database rejects a free number that an account has registered", async () => {
    const { account_token: account_id } = await newAccount(service.clients.grpc);
    const [phone_number, area_code] = [uniqueNumber(), String(areaCodes++)];
    await service.clients.grpc.createPhoneNumber({ account_id, phone_number });
    const numbers = kysely().updateTable("tracking_numbers").where("phone_number", "=", phone_number);
    const release = numbers.set({ area_code, state: "free" }).execute();
    const refusal = await release.catch((error: unknown) => error);
    expect(isTrackingNumberViolation(refusal)).toBe(true);
    expect(await take(area_code, 1)).toEqual([]);
  });
});
