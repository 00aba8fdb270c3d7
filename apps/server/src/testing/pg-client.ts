import pg from "pg";

/** Opens a session on a database. The test must end the session. */
export async function connectToPostgres(url: string | undefined, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...options });
  await client.connect();
  return client;
}

/** Runs a statement in a new session, ends the session, and returns the rows. */
export async function queryOnce<R extends pg.QueryResultRow>(
  url: string | undefined,
  text: string,
  values?: unknown[],
): Promise<R[]> {
  const client = await connectToPostgres(url);
  try {
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}
