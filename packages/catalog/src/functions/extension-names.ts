import type { ExtensionNames, ToolDefinition } from '@millrace/core';
import { omitUndefined } from '@millrace/core';
import type { Extensions } from './extensions.ts';

/** Returns the names of functions, which are data and can be passed to another process. */
export const namesOf = (extensions: Extensions): ExtensionNames => ({
  conditions: [...(extensions.conditions ?? new Map()).keys()],
  processors: [...(extensions.processors ?? new Map()).keys()],
  detects: [...(extensions.detects ?? new Map()).keys()],
  terminations: [...(extensions.terminations ?? new Map()).keys()],
  tools: (extensions.tools ?? []).map(({ name, module }) => omitUndefined({ name, module })),
});

/** Returns functions of these names, with which workflows can be read. They cannot be called. */
export function standInsFor(names: ExtensionNames): Extensions {
  const all = (list: readonly string[]) => new Map(list.map((name) => [name, absent]));
  return {
    conditions: all(names.conditions),
    processors: all(names.processors),
    detects: all(names.detects),
    terminations: new Map(names.terminations.map((name) => [name, { evaluate: absent }])),
    tools: names.tools.map((tool): ToolDefinition => ({ ...tool, description: '', parameters: {}, execute: absent })),
  };
}

function absent(): never {
  throw new Error('Functions of an installation cannot be called in a process that reads workflows.');
}
