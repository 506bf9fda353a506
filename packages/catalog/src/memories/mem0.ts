import type { MemoryContext, MemoryInteraction } from '@millrace/core';
import { defineMemory, NodeError } from '@millrace/core';
import { z } from 'zod';
import { startDeadline } from '../deadlines/deadline.ts';
import { withoutHeadlines } from './headlines.ts';

const text = (error: string) => z.string({ error }).trim().min(1, { error });
const optional = text('Write a text, or leave it out.').nullish();

const Mem0Config = z.object({
  api_key: text('Write a key, best a variable such as `api_key: ${MEM0_API_KEY}`.').describe('Key of the service.'),
  base_url: z
    .string({ error: 'Write a URL.' })
    .nullish()
    .describe('URL of the service; left out: https://api.mem0.ai.'),
  org_id: optional.describe('Organisation in the service.'),
  project_id: optional.describe('Project in the service.'),
  user_id: optional.describe('Whose memories they are.'),
  agent_id: optional.describe('Of which agent they are; the role of the node when neither is given.'),
});
type Config = z.infer<typeof Mem0Config>;

const timeoutMs = 30_000;

const Found = z.array(z.object({ memory: z.string(), score: z.number().nullish() }));
const SearchReply = z.union([
  Found,
  z.object({ results: Found }).transform(({ results }) => results),
  z.object({ memories: Found }).transform(({ memories }) => memories),
]);

/** Leaves remembering to the service mem0, which decides by itself what of a text is worth it. */
export const mem0 = defineMemory({
  type: 'mem0',
  summary: 'The memory service mem0.',
  config: Mem0Config,
  secrets: ['api_key'],
  async recall(config, { text: query, role, topK, threshold }, context) {
    if (query.trim() === '') return [];
    const limits = threshold === undefined || threshold < 0 ? { top_k: topK } : { top_k: topK, threshold };
    const asked = { query, ...limits, filters: filtersOf(config, role), ...scopeOf(config) };
    const found = await unlessCompat(context, [], async () => {
      const reply = SearchReply.safeParse(await post('/v2/memories/search/', asked, { config, access: context }));
      if (!reply.success) throw failure('it answered with something that is not a list of memories', false);
      return reply.data;
    });
    return found.slice(0, topK).map(({ memory }) => ({ text: memory, at: context.now() }));
  },
  async remember(config, experience, context) {
    const content = saidIn(experience);
    if (content === '') return [];
    const { user_id: user, agent_id: agent } = config;
    const owner = agent ? { agent_id: agent } : user ? { user_id: user } : { agent_id: experience.role };
    const told = { messages: [{ role: 'user', content }], ...owner, ...scopeOf(config) };
    await unlessCompat(context, undefined, () => post('/v1/memories/', told, { config, access: context }));
    // The service keeps it.
    return [];
  },
});

/** What somebody said: a person's answer, or else what an agent was told, without the headlines of its input. */
const saidIn = ({ input, output, whole }: MemoryInteraction): string =>
  whole ? output.trim() : withoutHeadlines(input);

function filtersOf({ user_id: user, agent_id: agent }: Config, role: string): Readonly<Record<string, unknown>> {
  if (user && agent) return { OR: [{ user_id: user }, { agent_id: agent }] };
  if (user) return { user_id: user };
  return { agent_id: agent ?? role };
}

const scopeOf = ({ org_id: org, project_id: project }: Config): Readonly<Record<string, string>> => ({
  ...(org ? { org_id: org } : {}),
  ...(project ? { project_id: project } : {}),
});

interface Calling {
  readonly config: Config;
  readonly access: MemoryContext;
}

async function post(path: string, body: unknown, { config, access: context }: Calling): Promise<unknown> {
  const base = (config.base_url ?? 'https://api.mem0.ai').replace(/\/+$/, '');
  const key = context.resolveSecrets(config.api_key);
  const deadline = startDeadline(timeoutMs, context.signal);
  let response: Response;
  let answer: string;
  try {
    response = await context.fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Token ${key}` },
      body: JSON.stringify(body),
      signal: deadline.signal,
    });
    answer = await response.text();
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof NodeError) throw error;
    throw failure(`it cannot be reached (${causeOf(error)})`, true);
  } finally {
    deadline.clear();
  }
  if (!response.ok) {
    const { status } = response;
    const refused = status === 401 || status === 403;
    const words = refused ? 'it refused the API key' : 'it refused the request';
    throw failure(`${words} (${status})`, status === 429 || status >= 500);
  }
  try {
    return JSON.parse(answer);
  } catch {
    throw failure('it answered with something that is not JSON', false);
  }
}

/** The original engine goes on without memories when the service fails; what is missing in the workflow is missing there too. */
async function unlessCompat<T>(context: MemoryContext, otherwise: T, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (context.compat && error instanceof NodeError && error.code === code) return otherwise;
    throw error;
  }
}

const code = 'MEMORY_SERVICE_FAILED';

const failure = (why: string, transient: boolean): NodeError =>
  new NodeError(code, `The memory service mem0 failed: ${why}. Check the store's \`api_key\` and \`base_url\`.`, {
    transient,
  });

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
