/** The list with the object that an example creates, and the part of the example's body that describes the object. */
const LISTS = {
  createPhoneNumber: ["phone_numbers", (body) => body],
  createPool: ["pools", (body) => body],
  batchCreatePools: ["pools", ({ pools: [pool] }) => pool],
  createCall: ["calls", (body) => body],
  createWebhookEndpoint: ["webhook_endpoints", ({ url }) => ({ url })],
};

/** The end of the ids of operations whose path names no account. */
const WITHOUT_ACCOUNT = "WithoutAccountId";

/** A field that is not compared, because a later example updates it. */
const UPDATED = "size";

/**
 * Finds the object that an earlier request with the example created, and returns it as the response; undefined if there is none. Idempotency
 * keys expire after a day: without this function, a second account would then be rejected, and a second pool would need more numbers than the
 * examples add. An account has at most 20 webhook endpoints; an existing one is returned without its secret.
 *
 * @param {string} operationId
 * @param body the example's body.
 * @param account the account of the examples; undefined if it does not exist.
 * @param {(path: string) => Promise<unknown>} read reads a path; undefined if the caller may not.
 */
export async function findExisting(operationId, body, account, read) {
  const needsAccount = !operationId.endsWith(WITHOUT_ACCOUNT);
  if (needsAccount && account === undefined) return undefined;
  if (operationId === "createAccount") return account;
  const name = operationId.replace(WITHOUT_ACCOUNT, "");
  if (!Object.hasOwn(LISTS, name)) return undefined;
  const [list, describe] = LISTS[name];
  const parent = needsAccount ? `/dni_manager/accounts/${account.account_token}` : "/dni_manager";
  const objects = (await read(`${parent}/${list}`)) ?? [];
  const wanted = Object.entries(describe(body)).filter(([key]) => key !== UPDATED);
  const found = objects.find((each) => wanted.every(([key, value]) => !(key in each) || each[key] === value));
  if (found === undefined) return undefined;
  if (name === "createWebhookEndpoint") return { webhook_endpoint: found };
  if (name !== "batchCreatePools") return found;
  return { created: 0, already_there: 1, pool_ids: [found.id], refused: [] };
}
