module.exports = {
  hooks: {
    readPackage(manifest) {
      // It prints types by the API of TypeScript 5, which the project's own TypeScript no longer has.
      if (manifest.name === "openapi-typescript") {
        manifest.dependencies.typescript = manifest.peerDependencies.typescript;
        delete manifest.peerDependencies.typescript;
      }
      // It writes types by that API too, although it accepts TypeScript 7.
      if (manifest.name === "@hey-api/openapi-ts") {
        manifest.dependencies.typescript = "^6.0.2";
        delete manifest.peerDependencies.typescript;
      }
      // Only tests install axios. Without this, pnpm would add it to the dependencies of the API page.
      if (manifest.name === "@vueuse/integrations") {
        delete manifest.peerDependencies.axios;
        delete manifest.peerDependenciesMeta.axios;
      }
      return manifest;
    },
  },
};
