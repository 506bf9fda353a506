import { didYouMean } from '../document/suggest.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';
import { readConfigured } from '../elements/use.ts';
import type { Boss } from './boss.ts';
import { reportBossProblem } from './boss-context.ts';
import { templatesOf } from './template-fields.ts';

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
