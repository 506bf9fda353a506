/** Returns the label in the Encoding Standard of an encoding that is named as there or as in Python. */
export function encodingLabel(name: string): string {
  const label = name.trim().toLowerCase().replaceAll('_', '-');
  return label === 'latin-1' ? 'latin1' : label;
}

/** Returns whether texts in this encoding can be read. */
export function isEncoding(name: string): boolean {
  try {
    new TextDecoder(encodingLabel(name));
    return true;
  } catch {
    // The platform throws a RangeError for an unknown label.
    return false;
  }
}

/** Returns the encoding that the byte-order mark at the start of a file names; undefined without one of UTF-16. */
export function markedEncoding([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}
