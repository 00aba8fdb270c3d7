/**
 * Reads a sample of a server's `/metrics`; 0 if the server has no such sample.
 *
 * @param opsUrl the URL of the server's metrics port.
 * @param name the name of the metric with its labels.
 */
export async function readMetric(opsUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}
