import { z } from 'zod';
import type { Issue, ReadOptions, ReadResult, Vocabulary } from '../src/index.ts';
import {
  completed,
  createModelLookup,
  defineCondition,
  defineMemory,
  defineNode,
  defineProcessor,
  defineSplitter,
  defineTermination,
  readWorkflow,
} from '../src/index.ts';

const text = z.string().trim().min(1, { error: 'Write a text.' });

const passthrough = defineNode({
  type: 'passthrough',
  summary: 'Returns its input.',
  config: z.object({ only_last_message: z.boolean().default(true) }),
  execute: () => completed([]),
});

const nodes = [
  defineNode({
    type: 'agent',
    summary: 'Asks a model.',
    config: z.object({
      provider: text,
      name: text,
      role: z.string().nullish(),
      api_key: z.string().nullish(),
      params: z.record(z.string(), z.unknown()).nullish(),
      memories: z.array(z.object({ name: text })).nullish(),
      tooling: z
        .array(z.object({ type: z.enum(['function', 'mcp']), config: z.object({ headers: z.unknown().optional() }) }))
        .nullish(),
    }),
    secrets: ['api_key', 'tooling[].config.headers'],
    failureText: () => 'failed',
    execute: () => completed([]),
  }),
  defineNode({
    type: 'human',
    summary: 'Asks a person.',
    config: z.object({ description: z.string().nullish() }),
    traits: { waits: true },
    execute: () => completed([]),
  }),
  defineNode({
    type: 'literal',
    summary: 'Says always the same.',
    config: z.object({ content: text, role: z.enum(['user', 'assistant', 'system']).default('user') }),
    execute: () => completed([]),
  }),
  passthrough,
  defineNode({
    type: 'python',
    summary: 'Runs a program.',
    config: z.object({}),
    usesWorkspace: () => true,
    execute: () => completed([]),
  }),
  defineNode({
    type: 'loop_counter',
    summary: 'Ends a loop.',
    config: z.object({
      max_iterations: z.int().min(1).default(10).describe('Rounds.'),
      reset_on_emit: z.boolean().default(true),
    }),
    traits: { guard: true, state: 'counters' },
    execute: () => completed([]),
  }),
  defineNode({
    type: 'subgraph',
    summary: 'Runs a graph.',
    config: z.looseObject({}),
    traits: { container: 'subgraph' },
    execute: () => completed([]),
  }),
];

const conditions = [
  defineCondition({
    type: 'function',
    summary: 'Asks a function.',
    config: z.object({ name: z.string() }),
    check: ({ name }) =>
      ['true', 'always_false', 'code_pass'].includes(name)
        ? []
        : [
            {
              code: 'E_FUNCTION_UNKNOWN',
              severity: 'error',
              path: ['name'],
              message: `There is no function "${name}"`,
            },
          ],
    compile: () => () => true,
  }),
  defineCondition({
    type: 'keyword',
    summary: 'Looks for words.',
    config: z.object({
      any: z.union([z.string(), z.array(z.string())]).default([]),
      case_sensitive: z.boolean().default(true),
    }),
    compile: () => () => true,
  }),
];

const processors = [
  defineProcessor({
    type: 'template',
    summary: 'Fills in a text.',
    config: z.object({ template: text }),
    compile: () => (message) => ({ type: 'message', message }),
  }),
];

const splitters = [
  ...(['message', 'json_array', 'lines'] as const).map((type) =>
    defineSplitter({ type, summary: 'Cuts.', config: z.object({}), compile: () => (messages) => messages }),
  ),
  defineSplitter({
    type: 'delimiter',
    summary: 'Cuts at a pattern.',
    config: z.object({ pattern: z.string().default('\\n\\s*\\n') }),
    compile: () => (messages) => messages,
  }),
  defineSplitter({
    type: 'regex',
    summary: 'Cuts by matches.',
    config: z.object({ pattern: z.string() }),
    compile: () => (messages) => messages,
  }),
];

const memories = ['simple', 'blackboard'].map((type) =>
  defineMemory({
    type,
    summary: 'Remembers.',
    config: z.object({ api_key: z.string().optional(), memory_path: z.string().optional() }),
    secrets: ['api_key'],
    recall: async () => [],
  }),
);

const external = defineTermination({
  type: 'external',
  summary: 'Waits for a signal.',
  config: z.object({}),
  onSignal: (_config, { name }) => name,
  step: (_config, _state, { observed }) => ({
    type: 'stepped',
    ...(observed === undefined ? {} : { reason: String(observed) }),
  }),
});

const byType = <D extends { readonly type: string }>(definitions: readonly D[]): ReadonlyMap<string, D> =>
  new Map(definitions.map((definition) => [definition.type, definition]));

/** A few node types and what edges name, just enough to read documents with. */
// A registry forgets which configuration belongs to which definition; the reader brings them together again.
export const smallVocabulary = {
  nodes: new Map<string, unknown>([...byType(nodes), ['pass', passthrough]]),
  conditions: byType(conditions),
  processors: byType(processors),
  splitters: byType(splitters),
  providers: new Map(),
  tools: new Map(),
  terminations: byType([external]),
  memories: byType(memories),
  models: () => createModelLookup([]),
} as Vocabulary;

/** Reads a document with the small vocabulary, as a run would. */
export const readText = (document: string, options: Partial<ReadOptions> = {}): ReadResult =>
  readWorkflow({ file: 'flow.yaml', text: document }, { vocabulary: smallVocabulary, mode: 'run', ...options });

/** Issues in short form: `E_CODE line:column path`. */
export const places = (issues: readonly Issue[]): readonly string[] =>
  issues.map(({ code, line, column, path }) => `${code} ${line}:${column} ${path}`);

/** Errors in short form: `E_CODE path`. */
export const errorsOf = (issues: readonly Issue[]): readonly string[] =>
  issues.filter(({ severity }) => severity === 'error').map(({ code, path }) => `${code} ${path}`.trim());
