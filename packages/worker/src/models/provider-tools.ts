import type { ChatRequest, ModelProfile } from '@millrace/core';

/** Tools in the params of an agent that the provider runs itself and bills. */
export interface ProviderTools {
  /** Most searches of one call. */
  readonly searches: number;
  /** The params, with a limit of the requests where the API has one. */
  readonly params: ChatRequest['params'];
}

/** Requests to tools of the provider in one call, if the author sets no limit. */
const usualRequests = 10;

/** Returns the tools that a provider runs itself; undefined if there are none. */
export function providerTools(
  { provider, params }: Pick<ChatRequest, 'provider' | 'params'>,
  profile: Pick<ModelProfile, 'host'>,
): ProviderTools | undefined {
  // The params of the scripted model are its answers.
  const listed = provider !== 'scripted' && Array.isArray(params['tools']) ? params['tools'] : [];
  const hosted = listed.filter(isHosted);
  // Models with this param make one search for each request.
  if (hosted.length === 0) return params['web_search_options'] == null ? undefined : { searches: 1, params };
  if (provider === 'anthropic') return limitedEach(params, listed);
  const most = numberIn(params, 'max_tool_calls') ?? usualRequests;
  const searches = hosted.some(isSearch) ? most : 0;
  // Other servers may not know the limit.
  return { searches, params: profile.host === 'openai' ? { ...params, max_tool_calls: most } : params };
}

/** Limits each tool of Anthropic that has a limit of its own. */
function limitedEach(params: ChatRequest['params'], listed: readonly unknown[]): ProviderTools {
  const tools = listed.map((tool) =>
    isHosted(tool) && /^web_/.test(typeOf(tool)) ? { max_uses: usualRequests, ...tool } : tool,
  );
  const searches = tools
    .filter(isHosted)
    .filter(isSearch)
    .reduce((sum, tool) => sum + (numberIn(tool, 'max_uses') ?? usualRequests), 0);
  return { searches, params: { ...params, tools } };
}

/** Types of tools that the worker, or somebody else, runs on behalf of the model. */
const calledTypes = /^(function|custom|computer|local_shell|shell|apply_patch|bash_|text_editor_|memory_)/;

/** Tests if the provider runs a tool. Tools of Gemini have no type: their only field names them. */
function isHosted(tool: unknown): tool is object {
  if (typeof tool !== 'object' || tool === null || 'input_schema' in tool) return false;
  const type = typeOf(tool);
  return type === '' ? !/^function_?declarations$/i.test(Object.keys(tool).join()) : !calledTypes.test(type);
}

const isSearch = (tool: object): boolean =>
  /web_?search|google_?search/i.test(typeOf(tool) || Object.keys(tool).join());

const typeOf = (tool: object): string => ('type' in tool && typeof tool.type === 'string' ? tool.type : '');

function numberIn(values: object, name: string): number | undefined {
  const value: unknown = Reflect.get(values, name);
  return typeof value === 'number' && value >= 0 ? Math.ceil(value) : undefined;
}
