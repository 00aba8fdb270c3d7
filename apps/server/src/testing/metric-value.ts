/**
 * The value of a line of a server's `/metrics`, and 0 if there is no such line.
 *
 * @param opsUrl where its metrics are.
 */
export async function metricValue(opsUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}
