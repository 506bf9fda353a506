import { readFileSync } from 'node:fs';

/** A block of commands of a page. */
export interface CommandBlock {
  readonly line: number;
  readonly text: string;
  /** Commands that the page does not show, such as those that create the run which the block is about. */
  readonly setup: string;
  /** Reason why the block cannot be executed here; absent: it is executed. */
  readonly reason?: string;
  /** Output that the page shows directly after the block; empty: none. */
  readonly output: string;
}

const docs = new URL('../../../docs/', import.meta.url);

/** A fence with its language, and the comments directly before it: `<!-- setup … -->`, `<!-- not run: … -->`. */
const fences = /((?:^<!--(?:[^-]|-(?!->))*-->\n)*)^```(\S*)\n(.*?)^```$/gms;

/** Returns the fenced blocks of a page under `docs`, of all languages. */
function blocksOf(page: string) {
  const text = readFileSync(new URL(page, docs), 'utf8');
  return [...text.matchAll(fences)].map(
    ({ 0: { length }, index, 1: comments = '', 2: language = '', 3: body = '' }) => ({
      line: text.slice(0, index + comments.length).split('\n').length,
      before: text.slice(0, index),
      after: text.slice(index + length),
      comments,
      language,
      body,
    }),
  );
}

/** Returns the blocks of commands of a page, from its top to its bottom. */
export const commandBlocks = (page: string): readonly CommandBlock[] =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .map(({ line, comments, body, after }) => {
      const [, reason] = /<!-- not run: (.*?) -->/s.exec(comments) ?? [];
      const setup = [...comments.matchAll(/<!-- setup\n(.*?)-->/gs)].map(([, commands = '']) => commands).join('');
      const [, output = ''] = /^\s*```text\n(.*?\n)```\n/s.exec(after) ?? [];
      return { line, text: body, setup, output, ...(reason === undefined ? {} : { reason }) };
    });

/** Returns the files of a page: workflows whose first line names their file in a comment, and tables that the text names. */
export const filesOf = (page: string): ReadonlyMap<string, string> =>
  new Map(
    blocksOf(page).flatMap(({ language, before, body }) => {
      const [, workflow] = /^# (\S+\.yaml)\n/.exec(body) ?? [];
      const [, table] = language === 'csv' ? (/`([\w-]+\.csv)`[^`]*$/.exec(before) ?? []) : [];
      const name = workflow ?? table;
      return name === undefined ? [] : [[name, body] as const];
    }),
  );

/** Returns the languages of a page's blocks, with the lines where they begin. */
export const languagesOf = (page: string): readonly { readonly line: number; readonly language: string }[] =>
  blocksOf(page);
