module.exports = {
  hooks: {
    readPackage(manifest) {
      // It prints types by the API of TypeScript 5, which the project's own TypeScript no longer has.
      if (manifest.name === "openapi-typescript") {
        manifest.dependencies.typescript = manifest.peerDependencies.typescript;
        delete manifest.peerDependencies.typescript;
      }
      return manifest;
    },
  },
};
