import type { DescMessage } from "@bufbuild/protobuf";
import { AccountSchema } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { PhoneNumberSchema } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { PoolSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";

/** How a kind of resource is shown. */
export interface ResourceView<Desc extends DescMessage> {
  readonly schema: Desc;
  /** The columns that a table leaves out where the terminal is too narrow, the first one first. */
  readonly expendable: readonly string[];
}

/** How accounts are shown. */
export const accountView: ResourceView<typeof AccountSchema> = {
  schema: AccountSchema,
  expendable: ["updated_at", "created_at"],
};

/** How phone numbers are shown. */
export const phoneNumberView: ResourceView<typeof PhoneNumberSchema> = {
  schema: PhoneNumberSchema,
  expendable: ["account_token", "updated_at", "created_at", "property_token", "description"],
};

/** How pools are shown. */
export const poolView: ResourceView<typeof PoolSchema> = {
  schema: PoolSchema,
  expendable: [
    ...["account_token", "updated_at", "original_number_id", "created_at", "property_token"],
    ...["is_prompted", "is_recorded", "is_dni", "utilization", "description", "area_code"],
  ],
};
