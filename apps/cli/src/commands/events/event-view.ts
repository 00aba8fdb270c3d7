import { EventSchema } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import type { OutputCell, OutputRow } from "../../output/output-row.js";
import { formatSourceCell, type ResourceView } from "../../output/resource-view.js";

export const eventView: ResourceView<typeof EventSchema> = {
  schema: EventSchema,
  expendable: ["subject", "account"],
  columns: ["at", "type", "account", "subject", "description"],
  cells: {
    at: "occurred_at",
    account: "account_token",
    subject: ({ subject }) => shortSubject(String(subject)),
    description: descriptionCell,
  },
};

/** Returns only the kind and the id from a resource's path, because the account has its own column. */
function shortSubject(path: string): string {
  const [root = "", ...parts] = path.split("/").slice(2).map(decodeURIComponent);
  const inside = root === "accounts" && parts.length > 1 ? parts.slice(1) : [root, ...parts];
  return inside.slice(-2).join("/");
}

/** Functions that return the parts of an event's description, keyed by the kind of the event's resource. */
const DESCRIPTIONS: Readonly<Record<string, (resource: OutputRow) => readonly (OutputCell | undefined)[]>> = {
  phone_number: ({ phone_number, description }) => [phone_number, description],
  pool: ({ pool_type, size, description }) => [`${pool_type}, size ${size}`, description],
  tracking_number: ({ phone_number, state }) => [phone_number, state],
  phone_system: ({ name }) => [name],
  call: ({ tracking_number, outcome, ...call }) => [tracking_number, outcome, formatSourceCell(call)],
};

function descriptionCell({ type, call_tracker_event, ...event }: OutputRow): OutputCell {
  if (isRow(call_tracker_event)) {
    const { tracking_number, reason } = call_tracker_event;
    return textOf([tracking_number, formatSourceCell(call_tracker_event), reason]);
  }
  const kind = String(type).split(".", 1)[0] ?? "";
  const resource = event[kind];
  const describe = DESCRIPTIONS[kind];
  return isRow(resource) && describe !== undefined ? textOf(describe(resource)) : null;
}

function isRow(cell: OutputCell | undefined): cell is OutputRow {
  return typeof cell === "object" && cell !== null && !Array.isArray(cell);
}

function textOf(parts: readonly (OutputCell | undefined)[]): string {
  return parts.filter((part) => part != null && part !== "").join(", ");
}
