import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import type { LocatedValue } from '../elements/read-context.ts';
import { asTemplate } from './boss-context.ts';
import { field, section } from './sections.ts';

/** A template and its place in the author's text. */
export interface TemplateField {
  readonly value: string;
  readonly path: Path;
}

/** Returns all templates of a boss. */
export function templatesOf(config: LocatedValue): readonly TemplateField[] {
  const executor = section(config, 'executor');
  const nested = field(executor, 'subflows_config');
  const branches = nested.value === undefined ? field(executor, 'branches') : nested;
  const controller = section(config, 'controller');
  const each = (located: LocatedValue, names: readonly string[]) =>
    entriesOf(located).flatMap((entry) => names.flatMap((name) => textAt(field(entry, name))));
  return [
    ...['first_prompt', 'next_prompt'].flatMap((name) => textAt(field(controller, name))),
    ...each(branches, ['result', 'summary']),
    ...entriesOf(branches).flatMap((branch) => injected(field(branch, 'inject'))),
    ...each(section(config, 'finish'), ['result', 'summary']),
    ...textAt(field(section(config, 'memory_writing'), 'value')),
    ...['result', 'summary'].flatMap((name) => textAt(field(section(config, 'on_max_round'), name))),
    ...['goal', 'plan', 'logs'].flatMap((name) => pathAt(field(section(config, 'inputs'), name))),
    ...entriesOf(section(config, 'steps')).flatMap((step) =>
      ['input', 'output'].flatMap((name) => entriesOf(field(step, name)).flatMap(pathAt)),
    ),
  ];
}

/** Returns injected variables as templates, so that their names are checked. */
const injected = ({ value, path }: LocatedValue): readonly TemplateField[] =>
  Array.isArray(value) ? value.map((name, at) => ({ value: `{{ ${String(name)} }}`, path: [...path, at] })) : [];

const entriesOf = ({ value, path }: LocatedValue): readonly LocatedValue[] =>
  isMapping(value) ? Object.entries(value).map(([name, entry]) => ({ value: entry, path: [...path, name] })) : [];

const textAt = ({ value, path }: LocatedValue): readonly TemplateField[] =>
  typeof value === 'string' ? [{ value, path }] : [];

/** Returns a field in which a path may be written in place of a template. */
const pathAt = (located: LocatedValue): readonly TemplateField[] =>
  textAt(located).map(({ value, path }) => ({ value: asTemplate(value), path }));
