import type { JsonObject } from "@bufbuild/protobuf";
import type { Actor } from "@calltrack/domain";
import type { GeneratedAlways, Insertable } from "kysely";

/** What callers have changed, a row for each change of a resource. Rows are never updated. */
export interface AuditEntryTable {
  /** Of what was changed; 0 if it is of no account. */
  readonly account_id: number;
  /** A UUIDv7 by the database's clock, drawn when the changed row was locked: it has the time of the change. */
  readonly id: GeneratedAlways<string>;
  /** The method of the API, or the command of the server. */
  readonly method: string;
  readonly actor_kind: Actor["kind"];
  /** The key's id, the token's subject or the certificate's name; null if the actor has none. */
  readonly actor_name: string | null;
  /** How the API key begins, if it was one. */
  readonly key_prefix: string | null;
  /** Of the access token, if it was one. */
  readonly issuer: string | null;
  readonly resource_type: AuditedType;
  /** What the resource goes by, as text. */
  readonly resource_id: string;
  /** The resource's columns, with times as PostgreSQL writes them; null if it was made by the change. */
  readonly before: JsonObject | null;
  readonly after: JsonObject;
}

/** What changes are written down of. */
export type AuditedType =
  | "account"
  | "phone_number"
  | "pool"
  | "call_tracker"
  | "tracking_number"
  | "api_key"
  | "call"
  | "clock";

/** What is known of a change before it is made: by which request, and whose. */
export type ChangeOrigin = Pick<
  Insertable<AuditEntryTable>,
  "method" | "actor_kind" | "actor_name" | "key_prefix" | "issuer"
>;
