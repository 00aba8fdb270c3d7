/** Creates a check of request targets: whether one is a public path of a property, which pages of all sites call. */
export function createPropertyPath(basePath: string): (target: string) => boolean {
  const property = /^\/dni[_-]manager\/accounts\/[^/?]+\/properties\//;
  return (target) => target.startsWith(basePath) && property.test(target.slice(basePath.length));
}
