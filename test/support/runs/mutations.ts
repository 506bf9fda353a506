import { parse } from 'yaml';

/** A workflow of which one prompt or one condition is broken. */
export interface Mutation {
  /** Place of what is broken. */
  readonly name: string;
  /** The workflow, as JSON, which is YAML. */
  readonly text: string;
  /** Nodes of which a test may name one as the place of the difference. */
  readonly nodes: readonly string[];
}

type Path = readonly (string | number)[];
type Fields = Record<string | number, unknown>;

/** Returns the text of a workflow with each of its prompts replaced once, and each of its conditions reversed once. */
export function mutationsOf(text: string): readonly Mutation[] {
  const { graph } = parse(text, { version: '1.1', merge: true }) as { readonly graph: Fields };
  const nodes = graph['nodes'] as readonly Fields[];
  const edges = (graph['edges'] ?? []) as readonly Fields[];
  return [
    ...nodes.flatMap(({ id, config }, index) =>
      promptsIn(config, ['graph', 'nodes', index, 'config']).map((path) =>
        mutation(text, { path, change: () => 'BROKEN', nodes: [String(id)] }),
      ),
    ),
    ...edges.flatMap(({ from, to, condition }, index) =>
      condition === undefined
        ? []
        : [
            mutation(text, {
              path: ['graph', 'edges', index, 'condition'],
              change: reversed,
              nodes: [String(from), String(to)],
            }),
          ],
    ),
  ];
}

interface Change extends Pick<Mutation, 'nodes'> {
  readonly path: Path;
  readonly change: (before: unknown) => unknown;
}

function mutation(text: string, { path, change, nodes }: Change): Mutation {
  const document: unknown = parse(text, { version: '1.1', merge: true });
  const last = path.at(-1) ?? '';
  const holder = path.slice(0, -1).reduce<unknown>((value, key) => (value as Fields)[key], document) as Fields;
  holder[last] = change(holder[last]);
  return { name: path.join('.'), text: JSON.stringify(document, null, 2), nodes };
}

/** Fields with texts that models or people are given. */
const promptFields: ReadonlySet<string> = new Set(['role', 'reflection_prompt', 'description']);

/** Returns the paths of the prompts in the configuration of a node, at any depth. */
function promptsIn(config: unknown, path: Path): readonly Path[] {
  if (typeof config !== 'object' || config === null) return [];
  return Object.entries(config).flatMap(([key, value]) => {
    const at = [...path, Array.isArray(config) ? Number(key) : key];
    if (typeof value === 'string') return promptFields.has(key) ? [at] : [];
    return promptsIn(value, at);
  });
}

/** Other values of conditions that have two. */
const opposites: Readonly<Record<string, unknown>> = {
  code_pass: 'code_fail',
  code_fail: 'code_pass',
  event: 'timeout',
  timeout: 'event',
  bug: 'question',
  question: 'bug',
};

/** Returns a condition that holds where the other one does not, as far as its type can say that. */
function reversed(condition: unknown): unknown {
  if (typeof condition === 'string') return opposites[condition];
  const { type, config } = condition as { readonly type: string; readonly config: Fields };
  const { any, none, ...others } = config;
  if (type === 'keyword')
    return { type, config: { ...others, ...(any ? { none: any } : {}), ...(none ? { any: none } : {}) } };
  const changed = Object.entries(config).map(([key, value]) => [
    key,
    typeof value === 'boolean' ? !value : opposites[String(value)],
  ]);
  return { type, config: Object.fromEntries(changed) };
}
