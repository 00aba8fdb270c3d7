// Writes src/referrer-list.json, the list of known search engines, social networks and AI assistants. Hosts are without `www.`, and `{}` stands for
// country domains.
//
// Omits entries with paths, because referrers contain no path. Omits hosts whose parent domain belongs to the same site.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const REPOSITORY = "matomo-org/searchengine-and-social-list";

// Without a folder, the files of the commit are downloaded.
const [commit, folder] = process.argv.slice(2);
if (!/^[0-9a-f]{40}$/.test(commit)) throw new Error("usage: npm run update-referrers -- COMMIT [FOLDER]");

const engines = Object.entries(await read("SearchEngines.yml"));
const list = {
  origin: `https://github.com/${REPOSITORY}`,
  licence: "CC0-1.0",
  commit,
  searchEngines: compact(engines.map(([name, pages]) => [name, pages.flatMap(({ urls = [] }) => urls)])),
  socialNetworks: compact(Object.entries(await read("Socials.yml"))),
  aiAssistants: compact(Object.entries(await read("AIAssistants.yml"))),
};
writeFileSync(join(import.meta.dirname, "src", "referrer-list.json"), `${JSON.stringify(list, null, 2)}\n`);

async function read(name) {
  if (folder) return parse(readFileSync(join(folder, name), "utf8"));
  const response = await fetch(`https://raw.githubusercontent.com/${REPOSITORY}/${commit}/${name}`);
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  return parse(await response.text());
}

function compact(sites) {
  const rows = sites.map(([name, entries]) => {
    const plain = entries.filter((entry) => !entry.includes("/")).map((entry) => entry.replace(/^(?:www|\{\})\./, ""));
    const hosts = [...new Set(plain)];
    return [name, hosts.filter((host) => !hosts.some((other) => host.endsWith(`.${other}`))).join(" ")];
  });
  return Object.fromEntries(rows.filter(([, hosts]) => hosts !== ""));
}
