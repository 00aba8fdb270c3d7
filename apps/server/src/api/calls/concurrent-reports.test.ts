import { expect, test } from "vitest";
import { createJsonClient } from "../../testing/json-client.js";
import { connectToPostgres } from "../../testing/pg-client.js";
import { newAccount, uniqueToken } from "../../testing/request-fields.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { serveDatabase } from "../../testing/test-server.js";

test("many slow reports leave connections for writes", async () => {
  const location = await createTestDatabase("postgres");
  const server = await serveDatabase(location, { managesPools: false });
  const api = createJsonClient(server.url);
  const { account_token: account_id } = await newAccount(api);
  // The reports wait for the lock, like reports that take long.
  const locker = await connectToPostgres(location.url);
  await locker.query("begin; lock table visit_counts in access exclusive mode");
  const reports = Array.from({ length: 20 }, () => api.reportCalls({ account_id, group_by: ["day"] }));
  await expect
    .poll(async () => {
      await locker.query("select pg_stat_clear_snapshot()");
      const { rows } = await locker.query<{ waiting: number }>(
        "select count(*)::integer as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows[0]?.waiting;
    })
    .toBeGreaterThanOrEqual(2);

  for (const account_token of [uniqueToken(), uniqueToken(), uniqueToken()])
    expect(await api.createAccount({ account_token })).toMatchObject({ account_token });
  await locker.query("commit");
  await locker.end();
  expect(await Promise.all(reports)).toHaveLength(20);
  api.close();
  await server.stop();
});
