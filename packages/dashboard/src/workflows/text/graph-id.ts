/** Returns the id of the graph of a text, which may have errors; empty if it has none. */
export const graphIdIn = (text: string): string => /^ {2}id:\s*["']?([^\s"'#]+)/m.exec(text)?.[1] ?? '';
