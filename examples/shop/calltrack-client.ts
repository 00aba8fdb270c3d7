/** What the example reads of a pool. */
export interface Pool {
  readonly id: string;
}

/** Calls Calltrack's JSON paths. */
export interface Client {
  get<T = unknown>(path: string): Promise<T>;
  post<T = unknown>(path: string, body: object): Promise<T>;
}

/** Creates a client; it rejects with the message of the error where Calltrack refuses a request. */
export function createClient(baseUrl: string): Client {
  const call = async (path: string, init?: RequestInit) => {
    const response = await fetch(baseUrl + path, init);
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path}: ${answer.error.message}`);
    return answer;
  };
  return {
    get: (path) => call(path),
    post: (path, body) =>
      call(path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  };
}
