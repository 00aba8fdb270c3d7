import { expect, test } from "vitest";
import { type PageRequest, readListPages } from "./read-list-pages.js";

async function readAll(total: number, limit?: number): Promise<{ read: number; requests: PageRequest[] }> {
  const requests: PageRequest[] = [];
  const readPage = async (request: PageRequest) => {
    requests.push(request);
    const start = Number(request.pageToken ?? 0);
    const end = Math.min(total, start + request.pageSize);
    return { items: new Array<number>(end - start).fill(0), nextPageToken: end < total ? String(end) : "" };
  };
  let read = 0;
  for await (const page of readListPages(readPage, limit)) read += page.length;
  return { read, requests };
}

test("reads a list to its end in pages of 1000", async () => {
  const { read, requests } = await readAll(2500);
  expect(read).toBe(2500);
  expect(requests).toStrictEqual([
    { pageSize: 1000 },
    { pageSize: 1000, pageToken: "1000" },
    { pageSize: 1000, pageToken: "2000" },
  ]);
});

test.each([
  [1, 1, [1]],
  [1000, 1000, [1000]],
  [1001, 1001, [1000, 1]],
  [5000, 2500, [1000, 1000, 1000]],
])("a limit of %d reads %d, in pages of %j", async (limit, count, sizes) => {
  const { read, requests } = await readAll(2500, limit);
  expect(read).toBe(count);
  expect(requests.map(({ pageSize }) => pageSize)).toStrictEqual(sizes);
});
