import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "./config/config.js";

/** Checks that the files for Docker and Kubernetes match the rest of the repository. It does not run them. */

const root = fileURLToPath(new URL("../../../", import.meta.url));
const KUBERNETES = "deploy/kubernetes";

const read = (file: string) => readFileSync(root + file, "utf8");

const dockerfile = read("Dockerfile");
const { services } = parse(read("compose.yaml"));
const kustomization = parse(read(`${KUBERNETES}/kustomization.yaml`));
const objects = (kustomization.resources as string[]).flatMap((file) =>
  parseAllDocuments(read(`${KUBERNETES}/${file}`), { merge: true }).map((document) => {
    expect(document.errors, file).toEqual([]);
    return document.toJS();
  }),
);
const deployment = objects.find(({ kind }) => kind === "Deployment");
const [container] = deployment.spec.template.spec.containers;

/** The environment variables of the image. An ENV line continues after a backslash. */
const image: Record<string, string> = Object.fromEntries(
  [...(/^ENV HOST(?:.*\\\n)*.*$/m.exec(dockerfile)?.[0] ?? "").matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [
    name,
    value,
  ]),
);

/** Returns the variables that the server does not read. */
function unread(environment: Record<string, string>): string[] {
  const names = new Set<string | symbol>();
  readConfig(
    new Proxy(environment, {
      get(target, name, receiver) {
        names.add(name);
        return Reflect.get(target, name, receiver);
      },
    }),
  );
  return Object.keys(environment).filter((name) => !names.has(name));
}

test("the image has the Node.js version of the project and starts the server with its flags", async () => {
  const { NODE_FLAGS } = await import(new URL("../node-flags.js", import.meta.url).href);
  const { devDependencies } = JSON.parse(read("package.json"));
  expect(/^FROM \S+\/node:([\d.]+)-\S+ AS build$/m.exec(dockerfile)?.[1]).toBe(devDependencies.node);
  expect(JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? "")).toEqual([
    "/usr/local/bin/node",
    ...NODE_FLAGS,
    "dist/bundle/main.js",
  ]);
});

test("the server accepts and reads all variables of the image, compose and Kubernetes", () => {
  expect(Object.keys(image)).toContain("DATA_DIR");
  expect(unread({ ...image, AUTH: "keys" })).toEqual([]);
  expect(unread({ ...image, ...services.server.environment })).toEqual([]);
  const variables = (container.env as { name: string; value?: string }[]).map(({ name, value }) => [name, value]);
  const environment = { ...Object.fromEntries(variables), DATABASE_URL: "postgres://user:password@host/database" };
  expect(unread({ ...image, ...environment })).toEqual([]);
  expect(unread({ NO_SUCH_VARIABLE: "1" })).toEqual(["NO_SUCH_VARIABLE"]);
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
    ...["startupProbe", "readinessProbe", "livenessProbe"].map((probe) => container[probe].httpGet.port),
    ...objects
      .filter(({ kind }) => kind === "Service")
      .flatMap(({ spec }) => spec.ports.map((port: { targetPort: string }) => port.targetPort)),
  ];
  expect(new Set(named)).toEqual(new Set(Object.keys(ports)));
  expect(read("deploy/prometheus/prometheus.yml")).toContain(`[server:${services.server.environment.OPS_PORT}]`);
});

test("the kustomization includes every manifest, and all selectors match the pods of the deployment", () => {
  const files = readdirSync(`${root}${KUBERNETES}`).filter((file) => file !== "kustomization.yaml");
  expect([...kustomization.resources].sort()).toEqual(files.sort());
  const { labels } = deployment.spec.template.metadata;
  for (const { kind, spec } of objects.filter((object) => object.spec?.selector ?? object.spec?.podSelector)) {
    const selector = spec.selector?.matchLabels ?? spec.podSelector?.matchLabels ?? spec.selector;
    expect(selector, kind).toEqual(labels);
  }
});
