import type { AccountJson, ApiClient, RequestFields } from "./api-client.js";
import { createAutomanagedPoolFields, uniqueToken } from "./request-fields.js";

let numbers = 0;

/**
 * Creates a pool for a business's number, and waits until the pool's tracking number has a source. The server must manage pools.
 *
 * @param fields the pool's fields; `flow` contains the settings of its call flow.
 * @returns the tracking number, whose source is `google / cpc`.
 */
export async function trackNumber(
  api: ApiClient,
  account: AccountJson,
  phoneNumber: string,
  { flow, ...fields }: RequestFields & { readonly flow?: object } = {},
): Promise<string> {
  const { account_token: account_id } = account;
  const property = uniqueToken("property");
  const areaCode = String(++numbers);
  const trackingNumber = `+1900555${String(numbers).padStart(4, "0")}`;
  await api.createPhoneNumber({ account_id, phone_number: phoneNumber });
  await api.addTrackingNumbers({ tracking_numbers: [{ phone_number: trackingNumber, area_code: areaCode }] });
  const visit = { property_token: property, source: "google", medium: "cpc", count: 1000, event_id: property };
  await api.recordVisits({ account_id, visits: [visit] });
  const pool = await api.createPool(
    createAutomanagedPoolFields(account, phoneNumber, {
      area_code: areaCode,
      property_token: property,
      size: 1,
      utilization: 1,
      ...fields,
    }),
  );
  const name = { account_id, pool_id: pool.id };
  if (flow !== undefined) await api.updateCallFlow({ ...name, settings: flow });
  const isServing = async () => (await api.listCallTrackers(name)).entries[0]?.source === "google";
  while (!(await isServing())) await new Promise((resolve) => setTimeout(resolve, 100));
  return trackingNumber;
}
