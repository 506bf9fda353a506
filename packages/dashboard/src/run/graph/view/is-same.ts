type Fields = Readonly<Record<string, unknown>>;

/** Tests if two values of the kinds that JSON has are equal. It compares without texts of them, as it does so for each node of each update. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [before, now] = [one as Fields, other as Fields];
  let fields = 0;
  for (const key in now) {
    fields += 1;
    if (!isSame(before[key], now[key])) return false;
  }
  for (const _ in before) fields -= 1;
  return fields === 0;
}
