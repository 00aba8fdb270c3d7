/** Number of items in a page, which the output writes at once. */
const PAGE_SIZE = 1000;

/** Groups the items of a stream into non-empty pages. If the stream throws, first yields the items before the error. */
export async function* groupIntoPages<Item>(items: AsyncIterable<Item>, size = PAGE_SIZE): AsyncGenerator<Item[]> {
  let page: Item[] = [];
  const errors: unknown[] = [];
  try {
    for await (const item of items) {
      page.push(item);
      if (page.length < size) continue;
      yield page;
      page = [];
    }
  } catch (error) {
    errors.push(error);
  }
  if (page.length > 0) yield page;
  if (errors.length > 0) throw errors[0];
}
