/** Values that every server on the database shares, and that no operator sets. */
export interface SettingsTable {
  readonly name: "caller_number_key";
  readonly value: Buffer;
}
