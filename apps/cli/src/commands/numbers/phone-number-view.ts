import { PhoneNumberSchema } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import type { ResourceView } from "../../output/resource-view.js";

/** View of phone numbers. */
export const phoneNumberView: ResourceView<typeof PhoneNumberSchema> = {
  schema: PhoneNumberSchema,
  expendable: ["account_token", "updated_at", "created_at", "property_token", "description"],
};
