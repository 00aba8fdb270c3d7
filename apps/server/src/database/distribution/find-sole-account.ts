/**
 * Returns the account id if all ids are equal, and undefined if they differ or there are none. Citus can run a statement for a single account
 * on that account's worker alone.
 */
export function findSoleAccount(accountIds: readonly number[]): number | undefined {
  const [first] = accountIds;
  return accountIds.every((id) => id === first) ? first : undefined;
}
