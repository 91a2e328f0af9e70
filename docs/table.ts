/** A Markdown table. Cells are one line each. */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cell = (text: string | number) => String(text).replaceAll('|', '\\|');
  return [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map(cell).join(' | ')} |`)
    .join('\n');
}
