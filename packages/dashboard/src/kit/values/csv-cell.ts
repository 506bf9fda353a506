/** Returns a cell as RFC 4180 has it. Spreadsheets take a cell that begins like a formula for one, so it gets an apostrophe. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
