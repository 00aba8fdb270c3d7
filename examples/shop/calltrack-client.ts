export interface Pool {
  readonly id: string;
}

export interface Client {
  get<T = unknown>(path: string): Promise<T>;
  post<T = unknown>(path: string, body: object): Promise<T>;
}

/** Creates a client. Failed requests reject with the message from Calltrack. */
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
