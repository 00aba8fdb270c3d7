import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findFreePort } from "@calltrack/postgres/testing/find-free-port";

const REPOSITORY = fileURLToPath(new URL("../../../..", import.meta.url));

/** The folder with the commands of the repository, which docs/deployment.md puts on the PATH. */
const COMMANDS = join(REPOSITORY, "node_modules", ".bin");

/** Replaces docker, kubectl and npm: logs its arguments, and runs commands for a container on this machine, in the environment of the shell. */
const replacementFor = (server: string) => `#!/bin/sh
echo "$*" >> "$COMMAND_LOG"
case " $* " in
  *" exec "*)
    while [ "$1" != /usr/local/bin/node ]; do shift; done
    shift
    cd "${server}" && exec "${process.execPath}" "$@" ;;
esac
`;

/** Runs the commands of docs/deployment.md in a fresh folder, for a server on a free port of this machine. */
export class DeploymentShell {
  readonly port: number;
  readonly #folder: string;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  /**
   * @param folder an empty folder.
   * @param server the folder of the unpacked server, in which commands for a container run.
   */
  static async create(folder: string, server: string): Promise<DeploymentShell> {
    await mkdir(join(folder, "bin"));
    for (const program of ["docker", "kubectl", "npm"])
      await writeFile(join(folder, "bin", program), replacementFor(server), { mode: 0o755 });
    await symlink(join(REPOSITORY, "examples"), join(folder, "examples"));
    return new DeploymentShell(folder, await findFreePort());
  }

  /**
   * Runs a script from docs/deployment.md, and returns its stdout. Replaces the server's URLs in the script with the address of this shell's server.
   */
  async run(script: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const here = `127.0.0.1:${this.port}`;
    const text = script.replaceAll("localhost:8080", here).replaceAll("https://calls.example.org", `http://${here}`);
    const { PATH = "", HOME = "" } = process.env;
    const env = {
      ...environment,
      ...{ HOME, XDG_CONFIG_HOME: join(this.#folder, "config"), CALLTRACK_SERVER: `http://${here}` },
      PATH: [join(this.#folder, "bin"), COMMANDS, dirname(process.execPath), PATH].join(delimiter),
      COMMAND_LOG: join(this.#folder, "commands"),
    };
    const options = { cwd: this.#folder, env };
    return (await promisify(execFile)("bash", ["-c", `set -euo pipefail\n${text}`], options)).stdout;
  }

  readFile(name: string): Promise<string> {
    return readFile(join(this.#folder, name), "utf8");
  }

  /** Returns the values that kubectl commands have created, keyed by `NAME/KEY` of the Secret or ConfigMap. */
  async readLiterals(): Promise<Readonly<Record<string, string>>> {
    const pattern = /create (?:secret generic|configmap) (\S+) --from-literal=([\w-]+)=(.*)$/gm;
    const created = (await this.readFile("commands")).matchAll(pattern);
    return Object.fromEntries(Array.from(created, ([, name, key, value = ""]) => [`${name}/${key}`, value]));
  }
}
