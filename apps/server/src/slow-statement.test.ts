import { sql } from "kysely";
import { expect, test } from "vitest";
import { openDatabase } from "./database/open-database.js";
import { createDataLocation } from "./testing/data-location.js";
import { startServerProcess } from "./testing/server-process.js";

test("a statement of the embedded database that never ends stops neither health checks nor the deadline, and then ends the process", async () => {
  await using location = await createDataLocation("embedded");
  const { DATA_DIR: directory = "" } = location.environment;
  const { kysely, close } = openDatabase({ kind: "embedded", directory });
  await sql`
    create function loop_forever() returns trigger language plpgsql as $$ begin loop end loop; end $$`.execute(kysely);
  await sql`
    create trigger loops before insert on accounts for each row when (new.account_token = 'slow')
      execute function loop_forever()`.execute(kysely);
  await close();

  await using server = await startServerProcess({ ...location.environment, LOG_LEVEL: "silent" });
  const slow = fetch(`${server.url}/call_tracking/accounts`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-server-timeout": "1" },
    body: JSON.stringify({ account_token: "slow" }),
  });
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  const ready = async () => (await fetch(`${server.url}/readyz`)).status;
  await expect.poll(ready, { timeout: 5_000 }).toBe(503);
  expect((await slow).status).toBe(504);
  const { exitCode, stderr } = await server.ended;
  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    `calltrack-server: the embedded database in DATA_DIR ${directory} has crashed (a statement ran 5 seconds past the deadline ` +
      "of its request): start the server again. No acknowledged change is lost\n",
  );
});
