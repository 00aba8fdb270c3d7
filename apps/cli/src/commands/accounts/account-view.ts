import { AccountSchema } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import type { ResourceView } from "../../output/resource-view.js";

/** View of accounts. */
export const accountView: ResourceView<typeof AccountSchema> = {
  schema: AccountSchema,
  expendable: ["updated_at", "created_at"],
};
