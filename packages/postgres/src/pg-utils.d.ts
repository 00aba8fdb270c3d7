declare module "pg/lib/utils.js" {
  /** The text or the bytes by which `pg` sends a value. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
