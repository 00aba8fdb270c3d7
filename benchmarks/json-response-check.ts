import { isDeepStrictEqual } from "node:util";
import type { Seed } from "./database-seed.ts";
import type { RunningPeer } from "./peers/peer.ts";
import { createPool, getPool, listPools } from "./workloads/json-workloads.ts";
import type { LoadRequest } from "./workloads/workload.ts";

interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

/**
 * Checks that JSON servers do the same work. Compares the bytes of a response of each workload, created pools as read by the
 * others, and errors.
 *
 * @throws Error that shows the difference.
 */
export async function checkJsonResponses(peers: readonly RunningPeer[], seed: Seed): Promise<void> {
  for (const workload of [getPool, createPool, listPools]) {
    const [request] = workload.requests(seed);
    if (request === undefined) throw new Error(`the workload ${workload.title} has no requests`);
    const answers = await ask(peers, request);
    expectSame(request, answers.map(withoutOwnValues));
    if (answers[0]?.status !== workload.status) throw new Error(`${described(request)}: ${answers[0]?.body}`);
    if (workload.isWriting) await checkCreated(peers, request.path, answers);
  }
  for (const { status, request } of refusals(seed)) {
    const statuses = (await ask(peers, request)).map((answer) => answer.status);
    expectSame(request, [status, ...statuses]);
  }
}

/** Reads each created pool from all servers, and its audit entry from Calltrack. */
async function checkCreated(peers: readonly RunningPeer[], path: string, created: readonly Answer[]): Promise<void> {
  const entries: unknown[] = [];
  for (const { body } of created) {
    const { id } = JSON.parse(body);
    const request: LoadRequest = { method: "GET", path: `${path}/${id}` };
    const answers = await ask(peers, request);
    expectSame(request, [body, ...answers.map((answer) => answer.body)]);
    entries.push(await findAuditEntry(peers[0] as RunningPeer, path, id));
  }
  expectSame({ method: "GET", path: "the audit log" }, entries);
}

/** Returns the audit entry of the creation of a pool, without the values that differ between pools. */
async function findAuditEntry({ port }: RunningPeer, path: string, id: string): Promise<unknown> {
  const account = path.split("/")[3];
  const query = new URLSearchParams({ resource_id: id });
  const response = await fetch(`http://127.0.0.1:${port}/call_tracking/accounts/${account}/audit_entries?${query}`);
  const [entry] = (await response.json()) as readonly (object & { readonly after: object })[];
  if (entry === undefined) throw new Error(`the audit log has no entry for the creation of pool ${id}`);
  return { ...entry, id: "", occurred_at: "", resource_id: "", after: Object.keys(entry.after) };
}

async function ask(peers: readonly RunningPeer[], { method, path, body }: LoadRequest): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { port } of peers) {
    const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers,
      body: (body as string | undefined) ?? null,
    });
    const type = response.headers.get("content-type")?.split(";")[0];
    answers.push({ status: response.status, type, body: await response.text() });
  }
  return answers;
}

/** Returns the response without its id and times, which differ between servers. */
function withoutOwnValues(answer: Answer): Answer {
  if (answer.status !== 201) return answer;
  return { ...answer, body: answer.body.replace(/("(?:id|created_at|updated_at)":)"[^"]*"/g, "$1…") };
}

function refusals(seed: Seed): { readonly status: number; readonly request: LoadRequest }[] {
  const [{ accountToken, id } = { accountToken: "", id: "" }, other] = seed.pools;
  const account = `/dni_manager/accounts/${accountToken}/pools`;
  const [good] = createPool.requests(seed);
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
    { status: 404, request: get(`/dni_manager/accounts/nobody/pools/${id}`) },
    { status: 404, request: get("/dni_manager/accounts/nobody/pools") },
    { status: 404, request: create({}, "/dni_manager/accounts/nobody/pools") },
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
      request: create(
        { original_number: disabled.phoneNumber },
        `/dni_manager/accounts/${disabled.accountToken}/pools`,
      ),
    },
    { status: 400, request: { method: "POST", path: account, body: "{" } },
  ];
}

function expectSame(request: LoadRequest, values: readonly unknown[]): void {
  if (values.every((value) => isDeepStrictEqual(value, values[0]))) return;
  throw new Error(
    `the answers to ${described(request)} differ:\n${values.map((each) => JSON.stringify(each)).join("\n")}`,
  );
}

function described({ method, path, body }: LoadRequest): string {
  return `${method} ${path}${body === undefined ? "" : ` ${body}`}`;
}
