/** How many items of a stream are written at once. */
const PAGE_SIZE = 1000;

/** Collects the items of a stream into pages, none of them empty. */
export async function* collectPages<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let page: Item[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < PAGE_SIZE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
