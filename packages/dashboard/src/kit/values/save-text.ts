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
