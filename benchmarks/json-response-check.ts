import type { DatabaseSeed } from "./database-seed.ts";
import { expectEqualValues } from "./expect-equal-values.ts";
import type { RunningPeer } from "./peers/peer.ts";
import { jsonCreatePoolWorkload, poolsPath } from "./workloads/json-workloads.ts";
import { type JsonResponse, requestJson, sendJson } from "./workloads/send-json.ts";
import type { LoadRequest } from "./workloads/workload.ts";

/**
 * Checks that the JSON servers do the same work: each must read the pools that the others created, all must write the same audit entries, and
 * all must reject the same requests.
 *
 * @throws Error that shows the difference.
 */
export async function checkJsonResponses(peers: readonly RunningPeer[], seed: DatabaseSeed): Promise<void> {
  const [request] = jsonCreatePoolWorkload.requests(seed) as [LoadRequest];
  await checkCreated(peers, request.path, await ask(peers, request));
  for (const { status, request } of rejectedRequests(seed)) {
    const statuses = (await ask(peers, request)).map((answer) => answer.status);
    expectEqualValues(`${request.method} ${request.path} ${request.body}`, [status, ...statuses]);
  }
}

/** Reads each created pool from all servers, and its audit entry from Calltrack. Throws if the results differ. */
async function checkCreated(
  peers: readonly RunningPeer[],
  path: string,
  created: readonly JsonResponse[],
): Promise<void> {
  const entries: unknown[] = [];
  for (const { body } of created) {
    const { id } = JSON.parse(body);
    const request: LoadRequest = { method: "GET", path: `${path}/${id}` };
    const answers = await ask(peers, request);
    expectEqualValues(request.path, [body, ...answers.map((answer) => answer.body)]);
    entries.push(await findAuditEntry(peers[0] as RunningPeer, path, id));
  }
  expectEqualValues("the audit log", entries);
}

/** Returns the audit entry for the creation of a pool, without the values that differ between pools. */
async function findAuditEntry({ port }: RunningPeer, path: string, id: string): Promise<unknown> {
  const account = path.split("/")[3];
  const query = new URLSearchParams({ resource_id: id });
  const entries = `/call_tracking/accounts/${account}/audit_entries?${query}`;
  const [entry] = JSON.parse(await requestJson(port, { method: "GET", path: entries }));
  if (entry === undefined) throw new Error(`the audit log has no entry for the creation of pool ${id}`);
  return { ...entry, id: "", occurred_at: "", resource_id: "", after: Object.keys(entry.after) };
}

async function ask(peers: readonly RunningPeer[], request: LoadRequest): Promise<JsonResponse[]> {
  const answers: JsonResponse[] = [];
  for (const { port } of peers) answers.push(await sendJson(port, request));
  return answers;
}

function rejectedRequests(seed: DatabaseSeed): { readonly status: number; readonly request: LoadRequest }[] {
  const [{ accountToken, id } = { accountToken: "", id: "" }, other] = seed.pools;
  const account = poolsPath(accountToken);
  const [good] = jsonCreatePoolWorkload.requests(seed);
  const create = (change: object, path = good?.path ?? ""): LoadRequest => ({
    method: "POST",
    path,
    body: JSON.stringify({ ...JSON.parse(String(good?.body)), ...change }),
  });
  const get = (path: string): LoadRequest => ({ method: "GET", path });
  const disabled = seed.disabledAccount;
  return [
    { status: 404, request: get(`${account}/${id.replace(/.{4}$/, "ffff")}`) },
    { status: 404, request: get(`${account}/${other?.id}`) },
    { status: 404, request: get(`${account}/no-uuid`) },
    { status: 404, request: get(`${poolsPath("nobody")}/${id}`) },
    { status: 404, request: get(poolsPath("nobody")) },
    { status: 404, request: create({}, poolsPath("nobody")) },
    { status: 400, request: create({ size: undefined }) },
    { status: 400, request: create({ size: 0 }) },
    { status: 400, request: create({ size: "10" }) },
    { status: 400, request: create({ area_code: "123456" }) },
    { status: 400, request: create({ utilization: 1.5 }) },
    { status: 400, request: create({ property_token: "a b" }) },
    { status: 400, request: create({ utilisation: 0.5 }) },
    { status: 400, request: create({ original_number: "+19998887777" }) },
    {
      status: 400,
      request: create({ original_number: disabled.phoneNumber }, poolsPath(disabled.accountToken)),
    },
    { status: 400, request: { method: "POST", path: account, body: "{" } },
  ];
}
