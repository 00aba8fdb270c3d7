import { sql } from "kysely";
import { expect, test } from "vitest";
import { describeOnEngines } from "../testing/behavior.js";
import { requireRefusal } from "../testing/refusal.js";
import { newPool } from "../testing/request-fields.js";

describeOnEngines("a time in the database that the API cannot represent", (service) => {
  test.each(["infinity", "-infinity", "10000-01-01 00:00:00+00"])("%s is an internal error", async (time) => {
    for (const api of Object.values(service.clients)) {
      const { pool, account } = await newPool(api);
      const account_id = account.account_token;
      await sql`update pools set updated_at = ${time} where account_id = ${account.id}`.execute(
        service.server.database.kysely,
      );
      expect(await requireRefusal(api.getPool({ account_id, pool_id: pool.id }))).toMatchObject({ status: "INTERNAL" });
      expect(await requireRefusal(api.listPools({ account_id }))).toMatchObject({ status: "INTERNAL" });
    }
  });
});
