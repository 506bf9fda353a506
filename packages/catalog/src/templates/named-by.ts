import type { Variables } from '@millrace/core';

/** Returns a function that selects the variables that a template can refer to: the size and depth of others do not matter. */
export function namedBy(template: string): (variables: Variables) => Variables {
  const words = new Set(template.match(/[\p{L}\p{N}_]+/gu));
  // `debug()` prints all variables.
  if (words.has('debug')) return (variables) => variables;
  // By the words, as a message may have a million fields.
  return (variables) =>
    Object.fromEntries([...words].flatMap((word) => (Object.hasOwn(variables, word) ? [[word, variables[word]]] : [])));
}
