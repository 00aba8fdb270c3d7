import { type WebhookDelivery, WebhookDeliverySchema } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import type { Invocation } from "../../invocation/invocation.js";
import { type OutputCell, type OutputRow, rowFromMessage } from "../../output/output-row.js";
import type { ResourceView } from "../../output/resource-view.js";
import { eventView } from "../events/event-view.js";

export const deliveryView: ResourceView<typeof WebhookDeliverySchema> = {
  schema: WebhookDeliverySchema,
  columns: ["id", "at", "type", "subject", "status", "attempts", "next_attempt_at", "failure"],
  expendable: ["at", "next_attempt_at", "attempts", "subject"],
  cells: { at: eventCell("at"), type: eventCell("type"), subject: eventCell("subject") },
};

/** Prints the given facts and then the delivery. A table omits the delivery's event. */
export async function showDelivery(
  invocation: Invocation,
  delivery: WebhookDelivery,
  facts: OutputRow = {},
): Promise<void> {
  const { event, ...row } = rowFromMessage(WebhookDeliverySchema, delivery);
  const shown = invocation.options.output === "table" ? {} : { event: event ?? null };
  await invocation.showRow({ ...facts, ...row, ...shown });
}

/** Creates a function that reads a cell from a delivery's event, and returns null if the event has expired. */
function eventCell(name: string): (delivery: OutputRow) => OutputCell {
  const cell = eventView.cells?.[name] ?? name;
  return ({ event }) => {
    if (typeof event !== "object" || event === null) return null;
    return typeof cell === "string" ? ((event as OutputRow)[cell] ?? null) : cell(event as OutputRow);
  };
}
