/** The list with the object that an example creates, and the part of the example's body that describes the object. */
const LISTS = {
  createPhoneNumber: ["phone_numbers", (body) => body],
  createPool: ["pools", (body) => body],
  batchCreatePools: ["pools", ({ pools: [pool] }) => pool],
  createCall: ["calls", (body) => body],
};

/** A later example updates the size of a pool. */
const UPDATED = "size";

/**
 * Finds what the example of an operation has created before, as the response to the example; undefined if nothing. Idempotency keys
 * expire after a day. A second account would then be rejected, and a second pool would need more numbers than the examples bring.
 *
 * @param {string} operationId
 * @param body the example's body.
 * @param account the account of the examples; undefined if it does not exist.
 * @param {(path: string) => Promise<unknown>} read reads a path; undefined if the caller may not.
 */
export async function findExisting(operationId, body, account, read) {
  if (account === undefined) return undefined;
  if (operationId === "createAccount") return account;
  if (!Object.hasOwn(LISTS, operationId)) return undefined;
  const [list, describe] = LISTS[operationId];
  const objects = (await read(`/dni_manager/accounts/${account.account_token}/${list}`)) ?? [];
  const wanted = Object.entries(describe(body)).filter(([key]) => key !== UPDATED);
  const found = objects.find((each) => wanted.every(([key, value]) => !(key in each) || each[key] === value));
  if (found === undefined || operationId !== "batchCreatePools") return found;
  return { created: 0, already_there: 1, pool_ids: [found.id], refused: [] };
}
