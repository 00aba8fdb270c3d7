import { CallerSchema } from "@calltrack/domain/gen/calltracking/v1/caller_pb";
import type { ResourceView } from "../../output/resource-view.js";

/** View of the caller. */
export const callerView: ResourceView<typeof CallerSchema> = { schema: CallerSchema, expendable: [] };
