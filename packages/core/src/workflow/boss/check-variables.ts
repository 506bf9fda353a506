import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import { didYouMean } from '../document/suggest.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';
import { readConfigured } from '../elements/use.ts';
import type { Boss } from './boss.ts';
import { asTemplate, field, reportBossProblem, section } from './sections.ts';

/** Names that every template of a boss may use. */
const builtinNames = [
  'goal',
  'task',
  'memory',
  'memory_files',
  'command',
  'command_args',
  'args',
  'result',
  'summary',
  'status',
  'round',
  'commands',
  'text',
  'data',
  'source',
  'failure',
  'stop_reason',
  'inputs',
  'branch',
  'ending',
];

/** Checks that the templates of a boss can be read and use names that it knows. */
export function checkVariables(context: ReadContext, config: LocatedValue, boss: Boss): void {
  const own = boss.steps.flatMap((step) => (step.type === 'own' ? Object.keys(step.output) : []));
  const known = new Set([...builtinNames, ...Object.keys(boss.paths), ...own]);
  if (boss.inputs.plan !== undefined || boss.planner !== undefined) known.add('plan');
  const files = new Set(Object.keys(boss.paths));
  const template = context.shared.vocabulary.nodes.get('template');
  for (const { value, path } of templatesOf(config)) {
    if (template !== undefined) readConfigured(context, template, { value: { text: value }, path, whole: true });
    for (const name of namesIn(value)) {
      const problem = problemOf(name, { known, files });
      if (problem !== undefined) reportBossProblem(context, 'E_TEMPLATE_VAR', { path, ...problem });
    }
  }
}

interface VariablePath {
  readonly root: string;
  readonly below: string | undefined;
}

function problemOf({ root, below }: VariablePath, { known, files }: Record<'known' | 'files', ReadonlySet<string>>) {
  const isFile = (root === 'memory' || root === 'memory_files') && below !== undefined;
  const names = isFile ? files : known;
  const name = isFile ? below : root;
  if (names.has(name)) return undefined;
  const hint = didYouMean(name, names) ?? `Known are: ${[...names].sort().join(', ')}.`;
  return { message: `The template uses "${name}", which is not known here`, hint };
}

/** Returns the names in plain placeholders, with their first field; templates with statements are not checked. */
function namesIn(template: string): readonly VariablePath[] {
  if (template.includes('{%')) return [];
  return [...template.matchAll(/\{\{\s*([A-Za-z_]\w*)(?:\.(\w+))?[^{}]*\}\}/g)].map(([, root = '', below]) => ({
    root,
    below,
  }));
}

/** A template and its place in the author's text. */
interface TemplateField {
  readonly value: string;
  readonly path: Path;
}

/** Returns all templates of a boss. */
function templatesOf(config: LocatedValue): readonly TemplateField[] {
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
