/**
 * The account that all ids name, or undefined if they name several or there are none. What is asked for one account alone, a
 * distributed database leaves to the server that has it.
 */
export function soleAccount(accountIds: readonly number[]): number | undefined {
  const [first] = accountIds;
  return accountIds.every((id) => id === first) ? first : undefined;
}
