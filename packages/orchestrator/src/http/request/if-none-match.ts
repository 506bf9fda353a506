/** Returns whether an `If-None-Match` header contains a tag: alone, in a list, as a weak one, or by `*`. */
export const namesTag = (header: string | undefined, tag: string): boolean =>
  header?.trim() === '*' || header?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag) === true;
