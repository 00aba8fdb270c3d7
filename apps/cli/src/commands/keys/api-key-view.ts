import { ApiKeySchema } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import type { ResourceView } from "../../output/resource-view.js";

/** View of API keys. */
export const apiKeyView: ResourceView<typeof ApiKeySchema> = {
  schema: ApiKeySchema,
  expendable: ["created_at", "description", "last_used_at", "expires_at", "account_token"],
};
