import type { MemoryContext, MemoryInteraction, MessageLimits } from '@millrace/core';
import { boundedResponse, defineMemory, describeExceeded, NodeError, singleLine } from '@millrace/core';
import { z } from 'zod';
import { startDeadline } from '../deadlines/deadline.ts';
import { addressProblems } from '../model-calls/address.ts';
import { withoutHeadlines } from './headlines.ts';

const text = (error: string) => z.string({ error }).trim().min(1, { error }).regex(singleLine);
const optional = text('Write a text, or leave it out.').nullish();

const Mem0Config = z.object({
  api_key: text('Write a key, best a variable such as `api_key: ${MEM0_API_KEY}`.').describe('API key of the service.'),
  base_url: z
    .string({ error: 'Write a URL.' })
    .regex(singleLine)
    .nullish()
    .describe('URL of the service; https://api.mem0.ai if omitted.'),
  org_id: optional.describe('Organisation in the service.'),
  project_id: optional.describe('Project in the service.'),
  user_id: optional.describe('User that the memories belong to.'),
  agent_id: optional.describe('Agent that the memories belong to; the role of the node if neither id is given.'),
});
type Config = z.infer<typeof Mem0Config>;

const timeoutMs = 30_000;
/** Limits of a reply. Memories are sentences, of which one is asked for a few. */
const replyLimits: MessageLimits = { bytes: 16 * 1024 * 1024, values: 100_000, depth: 100 };

const Found = z.array(z.object({ memory: z.string(), score: z.number().nullish() }));
const SearchReply = z.union([
  Found,
  z.object({ results: Found }).transform(({ results }) => results),
  z.object({ memories: Found }).transform(({ memories }) => memories),
]);

/** Memory store in the service mem0, which itself decides which parts of a text to remember. */
export const mem0 = defineMemory({
  type: 'mem0',
  summary: 'The memory service mem0.',
  config: Mem0Config,
  secrets: ['api_key'],
  check: ({ base_url }) => addressProblems(base_url, ['base_url']),
  async recall(config, { text: query, role, topK, threshold }, context) {
    if (query.trim() === '') return [];
    const limits = threshold === undefined || threshold < 0 ? { top_k: topK } : { top_k: topK, threshold };
    const search = { query, ...limits, filters: filtersOf(config, role), ...scopeOf(config) };
    const found = await unlessCompat(context, [], async () => {
      const reply = SearchReply.safeParse(await post('/v2/memories/search/', search, { config, access: context }));
      if (!reply.success) throw failure('it answered with something that is not a list of memories', false);
      return reply.data;
    });
    return found.slice(0, topK).map(({ memory }) => ({ text: memory, at: context.now() }));
  },
  async remember(config, experience, context) {
    const content = contentOf(experience);
    if (content === '') return [];
    const { user_id: user, agent_id: agent } = config;
    const owner = agent ? { agent_id: agent } : user ? { user_id: user } : { agent_id: experience.role };
    const memory = { messages: [{ role: 'user', content }], ...owner, ...scopeOf(config) };
    await unlessCompat(context, undefined, () => post('/v1/memories/', memory, { config, access: context }));
    // The service stores the memory itself.
    return [];
  },
});

/** Returns the text to remember: a person's answer, or else the input of an agent without its headlines. */
const contentOf = ({ input, output, whole }: MemoryInteraction): string =>
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

interface Mem0Request {
  readonly config: Config;
  readonly access: MemoryContext;
}

type Refuse = Parameters<typeof boundedResponse>[1]['refuse'];

async function post(path: string, body: unknown, { config, access: context }: Mem0Request): Promise<unknown> {
  const base = (config.base_url ?? 'https://api.mem0.ai').replace(/(?<!\/)\/+$/, '');
  const key = context.resolveSecrets(config.api_key);
  const deadline = startDeadline(timeoutMs, context.signal);
  let response: Response;
  let answer: string;
  try {
    const unbounded = await context.fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Token ${key}` },
      body: JSON.stringify(body),
      signal: deadline.signal,
    });
    const refuse: Refuse = (limit) => failure(`its reply ${describeExceeded(limit, replyLimits)}`, false);
    response = boundedResponse(unbounded, { body: replyLimits, refuse });
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
    const reason = refused ? 'it refused the API key' : 'it refused the request';
    throw failure(`${reason} (${status})`, status === 429 || status >= 500);
  }
  try {
    return JSON.parse(answer);
  } catch {
    throw failure('it answered with something that is not JSON', false);
  }
}

/**
 * Runs an action. The original engine continues without memories when the service fails, so with `compat` the result is
 * `otherwise`.
 */
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
