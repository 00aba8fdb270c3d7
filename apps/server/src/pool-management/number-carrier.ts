import type { SuppliedNumber } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";

/** A number for a call tracker. */
export interface NumberPurchase {
  /** One that `search` gave in the same transaction. */
  readonly trackingNumber: string;
  readonly accountId: number;
  readonly poolId: string;
  readonly callTrackerId: string;
}

/**
 * Where the numbers of call trackers come from; `start-server.ts` names the one that the server uses. The pass over a pool searches and buys in the one transaction in which it
 * writes the call trackers, and releases in that in which it deletes them.
 *
 * Whatever a carrier does elsewhere, `tracking_numbers` tells who holds which number: call trackers refer to it, and calls are
 * attributed by it. So a carrier that sells numbers over an API of its own
 * - gives in `search` what its API finds, less what another transaction has reserved;
 * - in `buy` inserts a row for each number that has none, and then orders them: an order that fails must throw, so that the
 *   transaction leaves nothing behind; one that was made although the transaction failed afterwards must be made good by what
 *   the carrier itself does, such as an order that is repeated under one key;
 * - in `release` leaves the row as the last word on who held the number: it may give the number back at any time after.
 */
export interface NumberCarrier {
  /**
   * Up to `count` numbers of an area code that can be bought, each at most once, in the order in which they are to be taken;
   * fewer if there are no more. No other transaction gets the same ones until this one ends. No number is among them that an
   * account has registered as its own.
   *
   * @param db a transaction.
   */
  search(db: Executor, areaCode: string, count: number): Promise<readonly string[]>;

  /**
   * What `search` would find now and when numbers have rested, in the order in which it would: nothing is reserved, and nothing
   * waits.
   *
   * @param db the database, or a transaction.
   */
  preview(db: Executor, areaCode: string, count: number): Promise<readonly SuppliedNumber[]>;

  /**
   * Hands numbers to call trackers: from now on each has this holder.
   *
   * @param db the transaction that searched for them.
   * @throws Error if one of them is not to be had any more. All must be undone then: roll the transaction back.
   */
  buy(db: Executor, purchases: readonly NumberPurchase[]): Promise<void>;

  /**
   * Takes numbers back from the call trackers that hold them. `search` gives none of them before its rest is over, and none
   * ever that was meant to be retired; who held a number last stays known.
   *
   * @param restMs how long they rest.
   * @throws Error if no call tracker holds one of them. All must be undone then: roll the transaction back.
   */
  release(db: Executor, numbers: readonly string[], restMs: number): Promise<void>;
}
