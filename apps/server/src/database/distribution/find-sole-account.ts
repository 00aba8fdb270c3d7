/**
 * Returns the account that all ids name, or undefined if there are several or none. Citus can run a statement for a
 * single account on that account's worker alone.
 */
export function findSoleAccount(accountIds: readonly number[]): number | undefined {
  const [first] = accountIds;
  return accountIds.every((id) => id === first) ? first : undefined;
}
