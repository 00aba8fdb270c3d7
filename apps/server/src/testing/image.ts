import { execFile } from "node:child_process";
import { chown, copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Environment } from "./server-process.js";

const run = promisify(execFile);

/** An absolute path, because the environment of the container has no `PATH`. */
const CHROOT = "/usr/sbin/chroot";

/** The user id and the group id of the image. */
const USER = 65532;

/** The root file system of a container: the unpacked release, Node.js with the libraries that it needs, and an empty folder for data. */
export interface Image {
  /** The unpacked tarball of the server, at `/app` in the container. */
  readonly app: string;
  /** The folder that is `/data` in the container. */
  readonly data: string;
  /** Returns the command line that starts the container with an entry point, and with only these environment variables. */
  commandOf(entryPoint: readonly string[], environment: Environment): readonly string[];
}

/**
 * Creates the content of the Docker image without Docker. If the tests run as root, the process of the image sees only the image's files, and can
 * write only the data. Otherwise, the process runs as the user of the tests, and sees all files of the machine.
 */
export async function createImage(folder: string, tarball: string): Promise<Image> {
  const isRoot = process.getuid?.() === 0;
  const [app, data, bin] = ["app", "data", "usr/local/bin"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [app, data, bin]) await mkdir(each, { recursive: true });
  await run("tar", ["--extract", "--gzip", "--file", tarball, "--directory", app, "--strip-components=1"]);
  await copyFile(process.execPath, join(bin, "node"));
  const { stdout } = await run("ldd", [process.execPath]);
  for (const library of stdout.match(/\/[^ \n]*/g) ?? []) {
    await run("cp", ["--parents", "--dereference", library, folder]);
  }
  if (isRoot) await chown(data, USER, USER);
  return {
    app,
    data,
    commandOf([program = "", ...args], environment) {
      const given = Object.entries({ ...environment, ...(isRoot ? {} : { DATA_DIR: data }) });
      const inEnvironment = ["env", "--ignore-environment", ...given.map(([name, value]) => `${name}=${value}`)];
      const enter = [CHROOT, `--userspec=${USER}:${USER}`, folder, program];
      // The entry point is relative to the image's working directory. Because chroot changes the working directory, the path becomes absolute.
      if (isRoot) return [...inEnvironment, ...enter, ...args.map((arg) => arg.replace(/^dist\//, "/app/$&"))];
      return [...inEnvironment, join(folder, program), ...args.map((arg) => arg.replace(/^dist\//, `${app}/$&`))];
    },
  };
}
