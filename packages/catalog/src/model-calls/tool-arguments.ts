/** Returns the arguments of a call as an object, which APIs of providers require even if the model wrote no JSON. */
export function toolArguments(written: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(written);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Handled below.
  }
  return written.trim() === '' ? {} : { arguments: written };
}
