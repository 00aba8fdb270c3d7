import type { SuppliedNumber } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";

export interface NumberPurchase {
  /** A number that `search` returned in the same transaction. */
  readonly trackingNumber: string;
  readonly accountId: number;
  readonly poolId: string;
  readonly callTrackerId: string;
}

/**
 * Supplies phone numbers for call trackers. `start-server.ts` selects the carrier that the server uses. A pass searches and buys numbers in the
 * transaction that creates their call trackers. A pass releases numbers in the transaction that deletes their call trackers.
 *
 * The table `tracking_numbers` records the holder of each number. Call trackers reference this table, and the attribution of calls reads it. A
 * carrier that sells numbers over an external API must therefore follow these rules:
 * - `search` returns numbers that the API offers, except those that another transaction has reserved.
 * - `buy` inserts a row for each number that has none, and then orders the numbers. A failed order must throw, so that the transaction is rolled
 *   back. If the transaction fails after an order, the carrier must reconcile, for example by repeating the order with the same idempotency key.
 * - `release` keeps the row as the record of the last holder. The carrier may give the number back to the seller at any time after the release.
 */
export interface NumberCarrier {
  /**
   * Returns up to `count` distinct available numbers of an area code, in the order of assignment. Returns fewer if there are no more. Reserves the
   * numbers against other transactions until `db` ends. Never returns a number that an account has registered as its own.
   *
   * @param db a transaction.
   */
  search(db: Executor, areaCode: string, count: number): Promise<readonly string[]>;

  /**
   * Returns the numbers that `search` would find now or after their rest period, in the same order. Neither reserves numbers nor waits for locks.
   *
   * @param db the database, or a transaction.
   */
  preview(db: Executor, areaCode: string, count: number): Promise<readonly SuppliedNumber[]>;

  /**
   * Assigns numbers to call trackers.
   *
   * @param db the transaction that searched for the numbers.
   * @throws Error if a number is no longer available. The transaction must then be rolled back.
   */
  buy(db: Executor, purchases: readonly NumberPurchase[]): Promise<void>;

  /**
   * Takes numbers back from their call trackers. `search` returns the numbers again after their rest period, but never returns a number that is being
   * retired. The last holder of each number stays recorded.
   *
   * @param restMs the rest period in milliseconds.
   * @throws Error if a number has no holder. The transaction must then be rolled back.
   */
  release(db: Executor, numbers: readonly string[], restMs: number): Promise<void>;
}
