/**
 * The folders of `apps/server/src`, from the highest layer to the lowest. A folder may import only from folders that come later in this list.
 * docs/architecture.md describes each folder.
 */
const SERVER_FOLDERS = [
  "workers",
  "commands",
  "upkeep",
  "pages",
  "telephony",
  "deliveries",
  "api",
  "pool-management",
  "clock",
  "access",
  "http",
  "database",
  "secrets",
  "files",
  "errors",
  "observability",
  "config",
];

const upward = SERVER_FOLDERS.slice(1).map((folder, index) => ({
  name: `${folder}-imports-down`,
  comment: "A folder may import only folders below it: see the list in docs/architecture.md.",
  severity: "error",
  from: { path: `^apps/server/src/${folder}/` },
  to: { path: `^apps/server/src/(?:${SERVER_FOLDERS.slice(0, index + 1).join("|")})/` },
}));

/** The rules for imports, which `scripts/import-rules.mjs` checks. */
export default {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    ...upward,
    {
      name: "folders-import-no-wiring",
      comment:
        "The files directly in apps/server/src connect the folders. A folder may import only such files that import nothing.",
      severity: "error",
      from: { path: "^apps/server/src/[^/]+/" },
      to: { path: "^apps/server/src/[^/]+\\.ts$", pathNot: "/(?:running-server|stop-signal)\\.ts$" },
    },
    {
      name: "packages-stand-alone",
      severity: "error",
      from: { path: "^(packages/[^/]+)/" },
      to: { path: "^(?:@calltrack|packages|apps)/", pathNot: "^$1/" },
    },
    {
      name: "clients-import-the-domain",
      severity: "error",
      from: { path: "^(apps/(?:cli|console))/" },
      to: { path: "^(?:@calltrack|packages|apps)/", pathNot: "^$1/|^(?:@calltrack|packages)/domain/" },
    },
  ],
  options: {
    doNotFollow: { path: "(?:^|/)(?:node_modules|dist)/" },
    exclude: { path: "/(?:gen|testing)/|\\.test\\.tsx?$|\\.d\\.ts$" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import"],
    },
  },
};
