export interface CreatedPool {
  readonly id: string;
}

export interface CalltrackClient {
  get<T = unknown>(path: string): Promise<T>;
  post<T = unknown>(path: string, body: object): Promise<T>;
}

/** Creates a client for Calltrack's JSON paths. A failed request rejects with the message from Calltrack. */
export function createCalltrackClient(baseUrl: string): CalltrackClient {
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
