/** Returns a CSV file of pools for one number, with the descriptions `pool 0`, `pool 1` and so on. */
export function manyPools(number: string, count: number): string {
  const header = "original_number,area_code,description,is_dni,is_prompted,is_recorded,pool_type,size\n";
  return (
    header +
    Array.from({ length: count }, (_, index) => `${number},415,pool ${index},true,false,false,manual,10\n`).join("")
  );
}
