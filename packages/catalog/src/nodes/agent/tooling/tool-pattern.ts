/** Returns a function that tells if a name matches a pattern, in which `*` stands for any characters. It takes linear time. */
export function toolPattern(pattern: string): (name: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (name) => name === pattern;
  return (name) => {
    if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
    const end = name.length - last.length;
    let from = first.length;
    for (const part of rest) {
      const at = name.indexOf(part, from);
      if (at === -1 || at + part.length > end) return false;
      from = at + part.length;
    }
    return true;
  };
}
