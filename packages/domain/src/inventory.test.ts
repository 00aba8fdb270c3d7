import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { AddTrackingNumbersRequestSchema } from "./gen/calltracking/v1/inventory_pb.js";
import { parseAddTrackingNumbersRequest } from "./inventory.js";

const NUMBER = "+12225550101";

function parse(trackingNumbers: readonly { phoneNumber?: string; areaCode?: string; phoneSystemId?: string }[]) {
  return parseAddTrackingNumbersRequest(
    create(AddTrackingNumbersRequestSchema, { trackingNumbers: [...trackingNumbers] }),
  ).numbers;
}

test("removes equal duplicates", () => {
  const row = { phoneNumber: NUMBER, areaCode: "222" };
  expect(parse([row, row])).toEqual([row]);
  const phoneSystemId = "019aa360-2b3c-7d4e-9f50-617283940a1b";
  const named = { ...row, phoneSystemId };
  expect(parse([named, { ...row, phoneSystemId: phoneSystemId.toUpperCase() }])).toEqual([named]);
});

test.each([
  [[], "tracking_numbers must contain 1 to 10000 numbers"],
  [[{ areaCode: "222" }], "tracking_numbers[0].phone_number is required"],
  [[{ phoneNumber: NUMBER }], "tracking_numbers[0].area_code is required"],
  [
    [
      { phoneNumber: NUMBER, areaCode: "222" },
      { phoneNumber: NUMBER, areaCode: "333" },
    ],
    "tracking_numbers[1].area_code must be 222, as in the earlier entry for the same number",
  ],
  [
    [{ phoneNumber: NUMBER, areaCode: "222", phoneSystemId: "" }],
    "tracking_numbers[0].phone_system_id must not be empty",
  ],
  [
    [
      { phoneNumber: NUMBER, areaCode: "222" },
      { phoneNumber: NUMBER, areaCode: "222", phoneSystemId: "pbx" },
    ],
    "tracking_numbers[1].phone_system_id must be the same as in the earlier entry for the same number",
  ],
  [
    [{ phoneNumber: NUMBER, areaCode: "222" }, { phoneNumber: NUMBER }, { phoneNumber: NUMBER, areaCode: "333" }],
    "tracking_numbers[1].area_code is required; " +
      "tracking_numbers[2].area_code must be 222, as in the earlier entry for the same number",
  ],
])("rejects %o: %s", (numbers, message) => {
  expect(() => parse(numbers)).toThrow(message);
});
