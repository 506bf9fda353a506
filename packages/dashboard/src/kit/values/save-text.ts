/** Saves a text as a file of the user; the page stays open. */
export function saveText(name: string, text: string | Blob): void {
  const url = URL.createObjectURL(text instanceof Blob ? text : new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun with the next task.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}

/** Returns a cell as RFC 4180 has it. Spreadsheets take a cell that begins like a formula for one, so it gets an apostrophe. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
