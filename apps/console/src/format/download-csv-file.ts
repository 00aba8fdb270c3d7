const REVOKE_AFTER_MS = 60_000;

/** Without a byte order mark, Excel does not read a CSV file as UTF-8. */
const BYTE_ORDER_MARK = "\ufeff";

/** Makes the browser download a CSV file. `parts` is the content of the file, in order. */
export function downloadCsvFile(name: string, parts: readonly (string | Blob)[]): void {
  const url = URL.createObjectURL(new Blob([BYTE_ORDER_MARK, ...parts], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS);
}
