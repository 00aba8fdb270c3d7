import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { CallFlowSettingsSchema, Weekday } from "../gen/calltracking/v1/call_flow_pb.js";

/** The initializer of `CallFlowSettings`. */
export type Flow = Extract<MessageInitShape<typeof CallFlowSettingsSchema>, { readonly $typeName?: never }>;

export const HOURS: Flow["hours"] = {
  timeZone: "Europe/Berlin",
  periods: [{ days: [Weekday.MONDAY, Weekday.FRIDAY], opens: "09:00", closes: "18:00" }],
};

export function settingsOf(flow: Flow) {
  return create(CallFlowSettingsSchema, flow);
}
