import { durationFromMs, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type WebhookEndpoint, WebhookPayload } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { listColumnNames } from "@calltrack/postgres";
import type { Selectable } from "kysely";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { formatEtag } from "../../database/etag.js";
import { createStoredEnum } from "../../database/stored-enum.js";
import type { WebhookEndpointTable } from "../../database/tables/schema.js";
import { toTimestamp } from "../../database/timestamp.js";
import type { SecretBox } from "../../secrets/secret-box.js";

/** The columns of the table `webhook_endpoints` that the API returns, and the column of the encrypted secrets, with their types. */
export const WEBHOOK_ENDPOINT_COLUMN_TYPES = {
  id: "text",
  url: "text",
  description: "text",
  types: "value",
  payload: "text",
  ordered: "value",
  concurrency: "value",
  max_age_seconds: "value",
  secrets: "value",
  is_active: "value",
  inactive_reason: "text",
  created_at: "time",
  updated_at: "time",
} as const;

export const WEBHOOK_ENDPOINT_COLUMNS = listColumnNames(WEBHOOK_ENDPOINT_COLUMN_TYPES);

export type WebhookEndpointRow = Pick<Selectable<WebhookEndpointTable>, (typeof WEBHOOK_ENDPOINT_COLUMNS)[number]>;

export type NewWebhookEndpointRow = Omit<
  WebhookEndpointRow,
  "is_active" | "inactive_reason" | "created_at" | "updated_at"
>;

export type WebhookEndpointState = Omit<WebhookEndpointRow, "id" | "created_at" | "updated_at">;

/** `accountId` is 0 if the endpoint belongs to no account. */
export interface WebhookEndpointKey {
  readonly accountId: number;
  /** A UUID. */
  readonly id: string;
}

const PAYLOADS = createStoredEnum(WebhookPayload);

/**
 * Converts a row to a message without secrets.
 *
 * @param account undefined for an endpoint that belongs to no account.
 * @param secrets undefined if the server has no key to decrypt secrets.
 */
export function toWebhookEndpointMessage(
  account: ResolvedAccount | undefined,
  row: WebhookEndpointRow,
  secrets: SecretBox | undefined,
): WebhookEndpoint {
  return {
    $typeName: "calltracking.v1.WebhookEndpoint",
    id: row.id,
    accountToken: account?.accountToken,
    url: row.url,
    description: row.description ?? undefined,
    types: [...row.types],
    payload: PAYLOADS[row.payload],
    ordered: row.ordered,
    concurrency: row.concurrency,
    maxAge: durationFromMs(row.max_age_seconds * 1000),
    isActive: row.is_active,
    inactiveReason: row.inactive_reason ?? undefined,
    secrets: row.secrets.map(({ secret, createdAt, expiresAt }) => ({
      $typeName: "calltracking.v1.WebhookSecret",
      createdAt: timestampFromDate(new Date(createdAt)),
      expiresAt: expiresAt === undefined ? undefined : timestampFromDate(new Date(expiresAt)),
      isReadable: secrets?.decrypt(secret, row.id) !== undefined,
    })),
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    etag: formatEtag(row.updated_at),
  };
}
