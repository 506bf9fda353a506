import type { Workspace } from '@millrace/core';
import { defineTool } from '@millrace/core';
import { RE2JS } from 're2js';
import { z } from 'zod';
import { pythonRegex } from '../../regex/python-regex.ts';
import { walk } from './list-files.ts';
import { splitLines, textIn } from './text-file.ts';

const maxFiles = 10_000;
const maxDepth = 64;

interface Search {
  readonly pattern: string;
  readonly globs?: readonly string[] | null | undefined;
  readonly exclude_globs?: readonly string[] | null | undefined;
  readonly use_regex: boolean;
  readonly case_sensitive: boolean;
  readonly max_results: number;
  readonly before_context: number;
  readonly after_context: number;
  readonly include_hidden: boolean;
}

const lines = (fallback: number) => z.int().min(0).max(100).default(fallback);

/** Finds lines in the files of the workspace. */
export const searchInFiles = defineTool<Search>({
  name: 'search_in_files',
  module: 'file',
  effect: 'read',
  workspace: true,
  description: 'Search the text files of the workspace for lines that match.',
  parameters: z.object({
    pattern: z.string().min(1).describe('A regular expression of Python, or a text.'),
    globs: z.array(z.string()).nullish().describe('Only files that fit one of these, such as `*.py` or `src/**`.'),
    exclude_globs: z.array(z.string()).nullish().describe('No files that fit one of these.'),
    use_regex: z.boolean().default(true).describe('Whether the pattern is a regular expression.'),
    case_sensitive: z.boolean().default(false).describe('Whether upper and lower case differ.'),
    max_results: z.int().min(1).max(10_000).default(200).describe('At most so many lines.'),
    before_context: lines(2).describe('How many lines to show before each.'),
    after_context: lines(2).describe('How many lines to show after each.'),
    include_hidden: z.boolean().default(false).describe('Whether to search files that begin with a dot.'),
  }),
  async execute(args, { workspace, signal }) {
    const matches = matcherOf(args);
    const found: SearchMatch[] = [];
    for (const { path } of await filesFor(workspace, args)) {
      signal.throwIfAborted();
      const text = await textOrNothing(workspace, path);
      for (const hit of text === undefined ? [] : await matchesIn(text, { path, matches, args })) found.push(hit);
      if (found.length > args.max_results) break;
    }
    return { matches: found.slice(0, args.max_results), truncated: found.length > args.max_results };
  },
});

interface SearchMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

type Matcher = (line: string) => boolean | Promise<boolean>;

function matcherOf({ pattern, use_regex, case_sensitive }: Search): Matcher {
  if (use_regex) {
    const compiled = pythonRegex(pattern, { ignoreCase: !case_sensitive });
    return async (line) => (await compiled.search(line)) !== undefined;
  }
  const wanted = case_sensitive ? pattern : pattern.toLowerCase();
  return (line) => (case_sensitive ? line : line.toLowerCase()).includes(wanted);
}

async function filesFor(workspace: Workspace, { globs, exclude_globs, include_hidden }: Search) {
  const all = await walk(workspace, '.', { depth: maxDepth, limit: maxFiles, hidden: include_hidden });
  const included = (globs ?? []).map(globMatcher);
  const excluded = (exclude_globs ?? []).map(globMatcher);
  return all.filter(
    ({ type, path }) =>
      type === 'file' &&
      (included.length === 0 || included.some((matches) => matches(path))) &&
      !excluded.some((matches) => matches(path)),
  );
}

/** Returns the text of a file; undefined for files that are not text. */
async function textOrNothing(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return await textIn(workspace, path);
  } catch {
    return undefined;
  }
}

async function matchesIn(
  text: string,
  { path, matches, args }: { path: string; matches: Matcher; args: Search },
): Promise<readonly SearchMatch[]> {
  const all = splitLines(text).map((line) => line.replace(/[\r\n]+$/, ''));
  const found: SearchMatch[] = [];
  for (const [at, line] of all.entries()) {
    if (!(await matches(line))) continue;
    const before = all.slice(Math.max(0, at - args.before_context), at);
    const after = all.slice(at + 1, at + 1 + args.after_context);
    found.push({ path, line: at + 1, text: line, before, after });
  }
  return found;
}

/**
 * Returns the test whether a path matches a glob, in time that is linear in the path: `*` and `?` within a name, `**` over folders; a glob without `/` matches names in any
 * folder.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const pattern = RE2JS.compile(
    glob.replaceAll(/\*\*\/|\*\*|\*|\?|[^*?]+/g, (part) => wildcards.get(part) ?? RE2JS.quote(part)),
    RE2JS.DOTALL,
  );
  const hasFolders = glob.includes('/');
  return (path) => pattern.matches(hasFolders ? path : path.slice(path.lastIndexOf('/') + 1));
}

const wildcards: ReadonlyMap<string, string> = new Map([
  ['**/', '(?:[^/]+/)*'],
  ['**', '.*'],
  ['*', '[^/]*'],
  ['?', '[^/]'],
]);
