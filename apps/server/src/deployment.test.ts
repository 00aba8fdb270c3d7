import { execFile, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdtemp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv, promisify } from "node:util";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { isPublicIpAddress } from "./api/webhook-endpoints/public-address.js";
import { readConfig } from "./config/config.js";
import { ENVIRONMENT_VARIABLES_SCHEMA } from "./config/variables.js";
import { createDataLocation } from "./testing/data-location.js";
import { DeploymentShell } from "./testing/deployment-shell.js";
import { createImage, type Image } from "./testing/image.js";
import { runServer, startServerProcess } from "./testing/server-process.js";

/**
 * Checks that the files for Docker and Kubernetes match the rest of the repository. Needs neither Docker nor Kubernetes: builds the file system of
 * the image from the release, and runs the server of the release there. The server gets the environment variables from the checked files, and the
 * commands from docs/deployment.md.
 */

const FOLDER = createFolder();

const root = fileURLToPath(new URL("../../../", import.meta.url));
const KUBERNETES = "deploy/kubernetes";
const COMPONENTS = `${KUBERNETES}/components`;

const read = (file: string) => readFileSync(root + file, "utf8");

const dockerfile = read("Dockerfile");
const { services } = parse(read("compose.yaml"));
const kustomization = parse(read(`${KUBERNETES}/kustomization.yaml`));
const readObjects = (folder: string, files: readonly string[]) =>
  files.flatMap((file) =>
    parseAllDocuments(read(`${folder}/${file}`), { merge: true }).map((document) => {
      expect(document.errors, file).toEqual([]);
      return document.toJS();
    }),
  );
const objects = readObjects(KUBERNETES, kustomization.resources);
const deployment = objects.find(({ kind }) => kind === "Deployment");
const [container] = deployment.spec.template.spec.containers;

/** The environment variables of the image. A backslash continues an ENV line. */
const image: Record<string, string> = Object.fromEntries(
  [...(/^ENV HOST(?:.*\\\n)*.*$/m.exec(dockerfile)?.[0] ?? "").matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [
    name,
    value,
  ]),
);

const [, healthCheck = "[]"] = /^HEALTHCHECK .*\n +CMD (.*)$/m.exec(dockerfile) ?? [];
const entryPoint: readonly string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? "[]");
/** The Dockerfile's own CMD is at the beginning of a line. The CMD of HEALTHCHECK is indented. */
const defaultCommand: readonly string[] = JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? "[]");

const PROBES = ["startupProbe", "readinessProbe", "livenessProbe"] as const;

/** Returns the variables that the server does not read. Fails if the server rejects a variable or gives advice about one. */
function unread(environment: Record<string, string>): string[] {
  expect(readConfig(environment).advice).toEqual([]);
  return Object.keys(environment).filter((name) => !Object.hasOwn(ENVIRONMENT_VARIABLES_SCHEMA.shape, name));
}

/** Returns the environment of the container in Compose, which replaces variables with their values in `.env` or with their defaults. */
function composeEnvironment(file: NodeJS.Dict<string>): Record<string, string> {
  const variables = Object.entries<string>(services.server.environment).map(([variable, text]) => {
    const value = text.replace(/\$\{(\w+)(?::([-?])(.*?))?\}/g, (_, name, kind, given) => {
      if (kind === "?") expect(file, given).toHaveProperty(name);
      return file[name] ?? (kind === "-" ? given : "");
    });
    return [variable, value];
  });
  return { ...image, ...Object.fromEntries(variables) };
}

/** Returns the environment of the container in Kubernetes, given the values of Secrets and ConfigMaps, keyed by `NAME/KEY`. */
function kubernetesEnvironment(values: Readonly<Record<string, string>>): Record<string, string> {
  const variables = container.env.map(({ name, value, valueFrom = {} }: ContainerVariable) => {
    const [reference] = Object.values(valueFrom);
    const found = reference === undefined ? value : values[`${reference.name}/${reference.key}`];
    expect(found, name).toBeTypeOf("string");
    return [name, found];
  });
  return { ...image, ...Object.fromEntries(variables) };
}

interface ContainerVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: Readonly<Record<string, { readonly name: string; readonly key: string }>>;
}

test("the image has the Node.js version of the project and starts the server with its flags", async () => {
  const { NODE_FLAGS } = await import(new URL("../node-flags.js", import.meta.url).href);
  const { devDependencies } = JSON.parse(read("package.json"));
  const images = [...dockerfile.matchAll(/docker\.io\/library\/(\w+):(\S+?)-\S+/g)].map(([, ...image]) => image);
  expect(images).toEqual([
    ["node", devDependencies.node],
    ["busybox", expect.stringMatching(/^\d+\.\d+\.\d+$/)],
  ]);
  expect(entryPoint).toEqual(["/usr/local/bin/node", ...NODE_FLAGS, "dist/bundle/main.js"]);
});

test("the image installs the dependencies before it copies the sources", async () => {
  const { listInstallInputs } = await import(new URL("../../../scripts/install.mjs", import.meta.url).href);
  const [before = ""] = dockerfile.split("COPY . .");
  const copied = [...before.matchAll(/^COPY (?!--)(.+) (\S+\/)$/gm)].flatMap(([, sources = "", folder]) =>
    sources.split(" ").map((source) => {
      expect(folder).toBe(source.includes("/") ? source.slice(0, source.lastIndexOf("/") + 1) : "./");
      return source;
    }),
  );
  expect(copied.filter((file) => !file.startsWith("scripts/")).sort()).toEqual(listInstallInputs().sort());
  const folder = await mkdtemp(join(FOLDER, "build-"));
  for (const file of copied) await cp(root + file, join(folder, file));
  // The Dockerfile also runs install.mjs before it copies the other files.
  const script =
    'import("./scripts/install.mjs").then(({ listInstallInputs }) => console.log(listInstallInputs().length))';
  const { stdout } = await promisify(execFile)(process.execPath, ["--eval", script], { cwd: folder });
  expect(Number(stdout)).toBe(listInstallInputs().length);
});

test("git and the build of the image ignore the file with the secrets of Compose", () => {
  const { SECRETS_KEY } = services.server.environment;
  expect(SECRETS_KEY).toContain("in the file .env");
  for (const file of [".gitignore", ".dockerignore"]) expect(read(file).split("\n"), file).toContain(".env");
});

test("the image checks its health at the address of OPS_PORT", () => {
  expect(JSON.parse(healthCheck).at(-1)).toBe(`http://${image.OPS_PORT}/healthz`);
  expect(image.OPS_PORT?.split(":")[1]).toBe(services.server.environment.OPS_PORT);
});

test("the server accepts and reads all variables of the image, compose and Kubernetes", () => {
  expect(Object.keys(image)).toContain("DATA_DIR");
  const PUBLIC_URL = "https://calls.example.org";
  expect(unread({ ...image, AUTH: "keys", PUBLIC_URL })).toEqual([]);
  const SECRETS_KEY = Buffer.alloc(32).toString("base64");
  expect(unread(composeEnvironment({ POSTGRES_PASSWORD: "password", SECRETS_KEY }))).toEqual([]);
  const values = {
    ...{ "calltrack-database/url": "postgres://user:password@host/database" },
    ...{ "calltrack-secrets/key": SECRETS_KEY, "calltrack-settings/public-url": PUBLIC_URL },
  };
  expect(unread(kubernetesEnvironment(values))).toEqual([]);
  expect(unread({ NO_SUCH_VARIABLE: "1" })).toEqual(["NO_SUCH_VARIABLE"]);
});

const { readPageCommands } = await import(new URL("../../../scripts/page-commands.mjs", import.meta.url).href);

/** Returns the shell blocks below a heading of docs/deployment.md. */
const blocksBelow = (heading: string): string => readPageCommands(`${root}docs/deployment.md`, heading);

describe("a release", () => {
  let built: Image;

  beforeAll(async () => {
    const { packProgram } = await import(new URL("../../../scripts/packaging/pack-program.mjs", import.meta.url).href);
    built = await createImage(join(FOLDER, "image"), packProgram("server", FOLDER));
  });

  test.each([
    {
      name: "Compose",
      start: /^docker compose up .*\n/m,
      environmentOf: async (shell: DeploymentShell) => composeEnvironment(parseEnv(await shell.readFile(".env"))),
      probes: [new URL(JSON.parse(healthCheck).at(-1)).pathname],
    },
    {
      name: "Kubernetes",
      start: /^kubectl apply .*\n/m,
      environmentOf: async (shell: DeploymentShell) => kubernetesEnvironment(await shell.readLiterals()),
      probes: PROBES.map((probe) => container[probe].httpGet.path),
    },
  ])("rings a phone in the image, with the documented commands and environment of $name", async (deployed) => {
    const { name, start, environmentOf, probes } = deployed;
    const shell = await DeploymentShell.create(await mkdtemp(join(FOLDER, "deployment-")), built.app);
    const [prepare = "", use = ""] = blocksBelow(name).split(start);
    await shell.run(prepare);
    const given = await environmentOf(shell);
    expect(readConfig(given).advice).toEqual([]);
    await using location = await createDataLocation("postgres");
    // The test uses another database and free ports. Its server listens only on the loopback interface.
    const environment = {
      ...given,
      ...{ DATABASE_URL: location.environment.DATABASE_URL as string },
      ...{ HOST: "127.0.0.1", PORT: String(shell.port), OPS_PORT: "127.0.0.1:0" },
    };
    const command = built.commandOf([...entryPoint, ...defaultCommand], environment);
    await using server = await startServerProcess({}, command);
    const opsUrl = await server.opsUrl();
    for (const path of probes) await expect.poll(async () => (await fetch(opsUrl + path)).status).toBe(200);
    const output = await shell.run(use + blocksBelow("Ring a simulated phone"), environment);
    expect(output).toContain("dialed +12223334444: completed");
    expect(output).toMatch(/\+12225550101 .*answered/);
    expect(await readdir(join(built.data, "telephony"))).toContainEqual(expect.stringMatching(/\.lock$/));
    expect(await server.stop()).toMatchObject({ exitCode: 0 });
    expect(server.log.filter(({ level }) => level !== "info")).toEqual([]);
  });
});

describe("the unit of systemd", () => {
  const unit = read("deploy/systemd/calltrack.service");
  const valuesOf = (name: string) =>
    Array.from(unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm")), ([, value = ""]) => value);

  test("starts the released program as the image does", () => {
    const { bin } = JSON.parse(read("apps/server/package.json"));
    const [program = "", ...args] = valuesOf("ExecStart").join().split(" ");
    expect([bin, args]).toEqual([{ [program]: expect.any(String) }, defaultCommand]);
  });

  test("sets variables that the server reads, and the folder that it may write", () => {
    const environment = Object.fromEntries(valuesOf("Environment").map((text) => text.split("=")));
    expect(unread({ ...environment, SECRETS_KEY: Buffer.alloc(32).toString("base64") })).toEqual([]);
    expect(environment.DATA_DIR).toBe(`/var/lib/${valuesOf("StateDirectory")}`);
  });

  test("allows the same time to stop as Compose, and does not restart a server with invalid settings", async () => {
    expect(`${valuesOf("TimeoutStopSec")}s`).toBe(services.server.stop_grace_period);
    const { exitCode } = await runServer([], { PORT: "none" });
    expect(valuesOf("RestartPreventExitStatus")).toEqual([String(exitCode)]);
  });

  const hasSystemd = spawnSync("systemd-analyze", ["--version"]).error === undefined;

  test.skipIf(!hasSystemd && process.env.CI !== "true")("is valid and confined, as systemd says", async () => {
    // The unit names a program that is not installed on the test machine.
    const folder = await mkdtemp(join(FOLDER, "unit-"));
    const file = join(folder, "calltrack.service");
    await writeFile(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
    const verified = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
    expect(verified).toMatchObject({ status: 0, stderr: "" });
    // The threshold is an exposure level from 0 to 10, in tenths. With systemd 252, the exposure level is 14.
    const security = spawnSync("systemd-analyze", ["security", "--offline=yes", "--threshold=20", file]);
    expect(security.status).toBe(0);
  });
});

test("the network policy lets the pods reach DNS, PostgreSQL, PUBLIC_URL, and webhook endpoints at public addresses", () => {
  const { spec } = objects.find(({ kind }) => kind === "NetworkPolicy");
  type Rule = { readonly to?: object[]; readonly ports: { readonly port: number; readonly endPort?: number }[] };
  const portsOf = (rules: readonly Rule[]) => rules.flatMap(({ ports }) => ports);
  const isOutside = ({ to }: Rule) => JSON.stringify(to)?.includes("ipBlock") === true;
  const inside = spec.egress.filter((rule: Rule) => !isOutside(rule));
  expect(new Set(portsOf(inside).map(({ port }) => port))).toEqual(new Set([53, 5432, 443]));
  // The rules for webhook endpoints, with the ports that `findWebhookUrlProblem` allows.
  const outside = spec.egress.filter(isOutside);
  expect(portsOf(outside)).toEqual([{ port: 443 }, { port: 1024, endPort: 65535 }]);
  const [{ cidr, except }] = outside[0].to.map(({ ipBlock }: { ipBlock: object }) => ipBlock);
  expect(cidr).toBe("0.0.0.0/0");
  for (const network of except) expect(isPublicIpAddress(network.split("/")[0])).toBe(false);
});

test("the image tags of compose and Kubernetes are the server's version", () => {
  const { version } = JSON.parse(read("apps/server/package.json"));
  expect(services.server.image).toBe(`calltrack/server:${version}`);
  expect(kustomization.images).toEqual([{ name: container.image, newTag: version }]);
});

test("the ports of all manifests are those that the server listens on", () => {
  const environment = Object.fromEntries(
    (container.env as { name: string; value: string }[]).map((e) => [e.name, e.value]),
  );
  const ports = Object.fromEntries(
    (container.ports as { name: string; containerPort: number }[]).map((port) => [port.name, port.containerPort]),
  );
  expect(ports).toEqual({ api: Number(image.PORT), ops: Number(environment.OPS_PORT) });
  const named = [
    ...PROBES.map((probe) => container[probe].httpGet.port),
    ...objects
      .filter(({ kind }) => kind === "Service")
      .flatMap(({ spec }) => spec.ports.map((port: { targetPort: string }) => port.targetPort)),
  ];
  expect(new Set(named)).toEqual(new Set(Object.keys(ports)));
  expect(read("deploy/prometheus/prometheus.yml")).toContain(`[server:${services.server.environment.OPS_PORT}]`);
});

test("the kustomization includes every manifest, and all selectors match the pods of the deployment", () => {
  const files = readdirSync(`${root}${KUBERNETES}`).filter((file) => /^(?!kustomization).*\.yaml$/.test(file));
  expect([...kustomization.resources].sort()).toEqual(files.sort());
  const { labels } = deployment.spec.template.metadata;
  for (const { kind, spec } of objects.filter((object) => object.spec?.selector ?? object.spec?.podSelector)) {
    const selector = spec.selector?.matchLabels ?? spec.podSelector?.matchLabels ?? spec.selector;
    expect(selector, kind).toEqual(labels);
  }
});

test("each component includes its manifests, which refer to the Services", () => {
  const names = readdirSync(root + COMPONENTS);
  expect(names).toEqual(["ingress", "service-monitor"]);
  const [ingress, monitor] = names.map((name) => {
    const { kind, resources } = parse(read(`${COMPONENTS}/${name}/kustomization.yaml`));
    expect({ kind, resources }).toEqual({ kind: "Component", resources: [`${name}.yaml`] });
    return readObjects(`${COMPONENTS}/${name}`, resources)[0];
  });
  const servicesWith = (port: string) =>
    objects.filter(
      ({ kind, spec }) => kind === "Service" && spec.ports.some((each: { name: string }) => each.name === port),
    );
  const { name, port } = ingress.spec.rules[0].http.paths[0].backend.service;
  expect(servicesWith(port.name).map(({ metadata }) => metadata.name)).toContain(name);
  const [scraped, ...others] = servicesWith(monitor.spec.endpoints[0].port);
  expect(others, "pods would be scraped twice").toEqual([]);
  expect(scraped.metadata.labels).toEqual(monitor.spec.selector.matchLabels);
  expect(read("deploy/grafana/calltrack-alerts.yml")).toContain(
    `job="${scraped.metadata.labels[monitor.spec.jobLabel]}"`,
  );
});

test("Grafana of compose has the dashboard and its data source", () => {
  const mounts = Object.fromEntries(
    (services.grafana.volumes as string[]).map((mount) => mount.split(":").slice(0, 2).reverse()),
  );
  expect(mounts["/etc/grafana/provisioning"]).toBe("./deploy/grafana/provisioning");
  const provisioned = (file: string) => parse(read(`deploy/grafana/provisioning/${file}`));
  const { path } = provisioned("dashboards/calltrack.yml").providers[0].options;
  expect(mounts[services.grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH]).toBe(
    "./deploy/grafana/calltrack.json",
  );
  expect(services.grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe(`${path}/calltrack.json`);
  const { url, type, isDefault } = provisioned("datasources/prometheus.yml").datasources[0];
  expect({ type, isDefault }).toEqual({ type: "prometheus", isDefault: true });
  expect(services[new URL(url).hostname].ports).toEqual([`127.0.0.1:${new URL(url).port}:9090`]);
});

test("the hosted CI runs the script of CI on the project's Node.js", () => {
  const { jobs } = parse(read(".github/workflows/ci.yml"));
  expect(jobs.linux.steps.at(-1).run).toBe("bash .ci/run");
  expect(jobs.linux.container).toContain(`/node:${JSON.parse(read("package.json")).devDependencies.node}-`);
});

test("the workflow of releases rings a phone through the image with the commands in docs/deployment.md", () => {
  const { on, jobs } = parse(read(".github/workflows/release.yml"));
  expect(on).toEqual({ push: { tags: ["v*"] } });
  const commands = jobs.release.steps.map((step: { run?: string }) => step.run ?? "").join("\n");
  expect(commands).toContain('docs/deployment.md Compose "Ring a simulated phone"');
  for (const [, heading = ""] of commands.matchAll(/"(Ring [^"]*)"/g)) expect(blocksBelow(heading)).not.toBe("");
  for (const [, script = ""] of commands.matchAll(/npm run ([\w:]+)/g)) {
    expect(JSON.parse(read("package.json")).scripts).toHaveProperty([script]);
  }
  expect(blocksBelow("Compose")).toContain("docker compose up --build");
});
