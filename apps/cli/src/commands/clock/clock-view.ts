import { ClockSchema } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import type { ResourceView } from "../../output/resource-view.js";

/** View of the server's clock. */
export const clockView: ResourceView<typeof ClockSchema> = { schema: ClockSchema, expendable: [] };
