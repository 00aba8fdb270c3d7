/**
 * Returns the common value if all account ids are equal. Returns undefined if the ids differ or there are none. Citus can run a statement for
 * a single account on the worker of that account.
 */
export function findSoleAccountId(accountIds: readonly number[]): number | undefined {
  const [first] = accountIds;
  return accountIds.every((id) => id === first) ? first : undefined;
}
