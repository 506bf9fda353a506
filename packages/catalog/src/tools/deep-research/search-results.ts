import type { ToolDefinition, Workspace } from '@millrace/core';
import { defineTool } from '@millrace/core';
import { z } from 'zod';
import { decoded } from '../file/text-file.ts';

const file = 'deep_research/search_results.json';

const Result = z.object({
  title: z.string(),
  abs: z.string(),
  detail: z.string(),
  high_light_keys: z.array(z.string()).optional(),
});
const Results = z.record(z.string(), Result);
type Results = z.infer<typeof Results>;

const url = z.string().min(1).describe('Address of the page, which names the result.');

interface SavedResult {
  readonly url: string;
  readonly title: string;
  readonly abs: string;
  readonly detail: string;
}

/** Tools that collect search results in a file of the workspace. */
export const searchResultTools: readonly ToolDefinition[] = [
  defineTool<SavedResult>({
    name: 'search_save_result',
    module: 'deep_research',
    workspace: true,
    description: 'Save a result of your research under its URL; an earlier one is replaced.',
    parameters: z.object({
      url,
      title: z.string().describe('Title of the page.'),
      abs: z.string().describe('A short summary.'),
      detail: z.string().describe('All that matters, in detail.'),
    }),
    async execute({ url: key, ...result }, { workspace }) {
      await change(workspace, (results) => ({ ...results, [key]: { ...results[key], ...result } }));
      return `Saved the result of ${key}.`;
    },
  }),
  defineTool({
    name: 'search_load_all',
    module: 'deep_research',
    effect: 'read',
    workspace: true,
    description: 'Load all saved results.',
    parameters: z.object({}),
    execute: (_args, { workspace }) => load(workspace),
  }),
  defineTool<{ url: string }>({
    name: 'search_load_by_url',
    module: 'deep_research',
    effect: 'read',
    workspace: true,
    description: 'Load the saved result of a URL.',
    parameters: z.object({ url }),
    async execute(args, { workspace }) {
      const results = await load(workspace);
      return { url: args.url, ...resultOf(results, args.url) };
    },
  }),
  defineTool<{ url: string; keys: string[] }>({
    name: 'search_high_light_key',
    module: 'deep_research',
    workspace: true,
    description: 'Note what is most important in a saved result.',
    parameters: z.object({ url, keys: z.array(z.string()).describe('The words or phrases that matter most.') }),
    async execute({ url: key, keys }, { workspace }) {
      await change(workspace, (results) => {
        const result = resultOf(results, key);
        const noted = new Set([...(result.high_light_keys ?? []), ...keys]);
        return { ...results, [key]: { ...result, high_light_keys: [...noted] } };
      });
      return `Noted ${keys.length} keys of ${key}.`;
    },
  }),
];

function resultOf(results: Results, key: string): z.infer<typeof Result> {
  const result = Object.hasOwn(results, key) ? results[key] : undefined;
  if (result === undefined) throw new Error(`there is no saved result of ${key}`);
  return result;
}

async function load(workspace: Workspace): Promise<Results> {
  return (await workspace.find(file)) === undefined ? {} : read(await workspace.read(file));
}

const change = (workspace: Workspace, to: (results: Results) => Results): Promise<void> =>
  workspace.update(file, (bytes) => `${JSON.stringify(to(bytes === undefined ? {} : read(bytes)), null, 2)}\n`);

const read = (bytes: Uint8Array): Results => Results.parse(JSON.parse(decoded(bytes, 'utf-8')));
