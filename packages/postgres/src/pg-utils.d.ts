declare module "pg/lib/utils.js" {
  /** Returns the text or bytes that `pg` sends for a value. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
