/** A plain JSON value as Python's `str()` spells it. */
export const pythonText = (value: unknown): string => (typeof value === 'string' ? value : spelled(value));

function spelled(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(spelled).join(', ')}]`;
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(([key, field]) => `${quoted(key)}: ${spelled(field)}`);
    return `{${fields.join(', ')}}`;
  }
  return String(value);
}

/** In single quotes, unless only double ones save an escape. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll(quote, `\\${quote}`);
  return `${quote}${escaped}${quote}`;
}
