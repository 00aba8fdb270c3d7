import { execFile } from "node:child_process";
import { appendFile, chown, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";

/**
 * Copies the files of a running server on this machine, so that a server started on the copy is its streaming standby.
 *
 * See https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
export async function copyPrimaryFiles(primaryUrl: string, directory: string): Promise<void> {
  const client = new pg.Client({ connectionString: primaryUrl });
  await client.connect();
  const { rows } = await client.query("show data_directory");
  await client.query("select pg_backup_start('standby', fast => true)");
  await promisify(execFile)("cp", ["-a", `${rows[0].data_directory}/.`, directory]);
  const { rows: backups } = await client.query("select labelfile from pg_backup_stop(wait_for_archive => false)");
  await client.end();
  await rm(join(directory, "postmaster.pid"));
  const { uid, gid } = await stat(join(directory, "PG_VERSION"));
  for (const [name, content] of [
    ["backup_label", backups[0].labelfile],
    ["standby.signal", ""],
  ]) {
    await writeFile(join(directory, name), content);
    await chown(join(directory, name), uid, gid);
  }
  const { hostname, port, username, password } = new URL(primaryUrl);
  const source = `host=${hostname} port=${port} user=${username} password=${password}`;
  await appendFile(join(directory, "postgresql.auto.conf"), `primary_conninfo = '${source}'\n`);
}
