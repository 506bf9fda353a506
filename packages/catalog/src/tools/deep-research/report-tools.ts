import type { ToolDefinition, Workspace, WorkspaceToolContext } from '@millrace/core';
import { defineTool } from '@millrace/core';
import { z } from 'zod';
import { decoded } from '../file/text-file.ts';

const file = 'deep_research/report.md';

const title = z.string().min(1).describe('Title of the chapter, or its path such as `Results/Tables`.');
const level = z.int().min(1).max(6);

interface NewChapter {
  readonly title: string;
  readonly level: number;
  readonly content: string;
}

interface ChapterEdit {
  readonly title: string;
  readonly level?: number | null | undefined;
  readonly content: string;
}

/** Tools that write a report, chapter by chapter, in a Markdown file of the workspace. */
export const reportTools: readonly ToolDefinition[] = [
  defineTool({
    name: 'report_read',
    module: 'deep_research',
    effect: 'read',
    workspace: true,
    description: 'Read the whole report.',
    parameters: z.object({}),
    execute: async (_args, { workspace }) => formatReport(await load(workspace)) || 'The report is empty.',
  }),
  defineTool<{ title: string }>({
    name: 'report_read_chapter',
    module: 'deep_research',
    effect: 'read',
    workspace: true,
    description: 'Read a chapter of the report with the chapters inside of it.',
    parameters: z.object({ title }),
    async execute(args, { workspace }) {
      const report = await load(workspace);
      const at = chapterIndexOf(report, args.title);
      return formatReport(report.slice(at, chapterEndOf(report, at)));
    },
  }),
  defineTool({
    name: 'report_outline',
    module: 'deep_research',
    effect: 'read',
    workspace: true,
    description: 'List the chapters of the report.',
    parameters: z.object({}),
    async execute(_args, { workspace }) {
      const report = await load(workspace);
      const titles = report.filter((one) => one.level > 0).map((one) => `${'#'.repeat(one.level)} ${one.title}`);
      return titles.join('\n') || 'The report is empty.';
    },
  }),
  defineTool<NewChapter>({
    name: 'report_create_chapter',
    module: 'deep_research',
    workspace: true,
    description:
      'Add a chapter at the end of the report, of another chapter (`Outer/New`), or behind another one (`Previous|New`).',
    parameters: z.object({
      title,
      level: level.describe('1 for the outermost.'),
      content: z.string().describe('Markdown.'),
    }),
    execute: (args, context) => change(context, (report) => created(report, args), `Created "${args.title}".`),
  }),
  defineTool<ChapterEdit>({
    name: 'report_rewrite_chapter',
    module: 'deep_research',
    workspace: true,
    description: 'Replace the text of a chapter; the chapters inside of it stay.',
    parameters: z.object({
      title,
      level: level.nullish().describe('A new level.'),
      content: z.string().describe('Markdown.'),
    }),
    execute: (args, context) =>
      change(
        context,
        (report) =>
          replaced(report, args.title, (one) => ({
            ...one,
            level: args.level ?? one.level,
            text: args.content.trim(),
          })),
        `Rewrote "${args.title}".`,
      ),
  }),
  defineTool<{ title: string; content: string }>({
    name: 'report_continue_chapter',
    module: 'deep_research',
    workspace: true,
    description: 'Add to the text of a chapter.',
    parameters: z.object({ title, content: z.string().describe('Markdown.') }),
    execute: (args, context) =>
      change(
        context,
        (report) => replaced(report, args.title, (one) => ({ ...one, text: `${one.text}\n\n${args.content}`.trim() })),
        `Continued "${args.title}".`,
      ),
  }),
  defineTool<{ new_order: string[] }>({
    name: 'report_reorder_chapters',
    module: 'deep_research',
    workspace: true,
    description: 'Put the chapters of one level into another order.',
    parameters: z.object({
      new_order: z.array(z.string()).min(1).describe('The titles of all of them, in their order.'),
    }),
    execute: ({ new_order }, context) => change(context, (report) => reordered(report, new_order), 'Reordered.'),
  }),
  defineTool<{ title: string }>({
    name: 'report_del_chapter',
    module: 'deep_research',
    workspace: true,
    description: 'Delete a chapter with the chapters inside of it.',
    parameters: z.object({ title }),
    execute: (args, context) =>
      change(
        context,
        (report) => {
          const at = chapterIndexOf(report, args.title);
          return report.toSpliced(at, chapterEndOf(report, at) - at);
        },
        `Deleted "${args.title}".`,
      ),
  }),
];

async function load(workspace: Workspace): Promise<ResearchReport> {
  return (await workspace.find(file)) === undefined ? [] : read(await workspace.read(file));
}

async function change(
  { workspace }: WorkspaceToolContext,
  to: (report: ResearchReport) => ResearchReport,
  done: string,
): Promise<string> {
  await workspace.update(file, (bytes) => formatReport(to(bytes === undefined ? [] : read(bytes))));
  return done;
}

const read = (bytes: Uint8Array): ResearchReport => parseReport(decoded(bytes, 'utf-8'));

function created(report: ResearchReport, { title: written, level: depth, content }: NewChapter): ResearchReport {
  const [previous, behind] = written.split('|').map((part) => part.trim());
  const path = (behind ?? previous ?? '').split('/');
  const name = path.pop()?.trim() ?? '';
  if (name === '') throw new Error(`"${written}" names no chapter`);
  const chapter = { level: depth, title: name, text: textOf(content, name) };
  let at = report.length;
  if (behind !== undefined) at = chapterEndOf(report, chapterIndexOf(report, previous ?? ''));
  else if (path.length > 0) at = chapterEndOf(report, chapterIndexOf(report, path.join('/')));
  const after = report.toSpliced(at, 0, chapter);
  const full = chapterPathAt(after, at);
  if (report.some((_, index) => chapterPathAt(report, index) === full))
    throw new Error(`there is a chapter "${full}" already`);
  return after;
}

/** Returns the text of a chapter without a heading that the model has repeated in it. */
const textOf = (content: string, name: string): string =>
  content
    .trim()
    .split('\n')
    .filter((line, at) => at > 0 || line.replace(/^#+\s*/, '').trim() !== name)
    .join('\n')
    .trim();

function replaced(
  report: ResearchReport,
  path: string,
  by: (chapter: ResearchReport[number]) => ResearchReport[number],
): ResearchReport {
  const at = chapterIndexOf(report, path);
  return report.map((chapter, index) => (index === at ? by(chapter) : chapter));
}

/** Reorders sibling chapters, each with the chapters inside it. */
function reordered(report: ResearchReport, order: readonly string[]): ResearchReport {
  const places = order.map((path) => chapterIndexOf(report, path));
  const outer = new Set(places.map((at) => parentPathOf(chapterPathAt(report, at))));
  const siblings = report.flatMap((_, at) =>
    outer.has(parentPathOf(chapterPathAt(report, at))) && report[at]?.level !== 0 ? [at] : [],
  );
  if (outer.size > 1 || new Set(places).size !== places.length || siblings.length !== places.length) {
    throw new Error(`name each of these chapters once: ${siblings.map((at) => chapterPathAt(report, at)).join(', ')}`);
  }
  const start = places.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const end = places.reduce((most, at) => Math.max(most, chapterEndOf(report, at)), 0);
  return [
    ...report.slice(0, start),
    ...places.flatMap((at) => report.slice(at, chapterEndOf(report, at))),
    ...report.slice(end),
  ];
}

const parentPathOf = (path: string): string => path.split('/').slice(0, -1).join('/');

/** A chapter of a report: a heading with the text below it, up to the next heading. */
interface Chapter {
  readonly level: number;
  readonly title: string;
  readonly text: string;
}

/** A report as its chapters in order; text before the first heading is a chapter of level 0. */
type ResearchReport = readonly Chapter[];

/** Parses a report in Markdown. Lines in fenced code are not headings. */
function parseReport(markdown: string): ResearchReport {
  const chapters: { level: number; title: string; lines: string[] }[] = [];
  let current = { level: 0, title: '', lines: [] as string[] };
  let fence: string | undefined;
  for (const line of markdown.split(/\r?\n/)) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    const [, hashes, title] = fence === undefined ? (/^(#{1,6})\s+(.*?)\s*#*$/.exec(line) ?? []) : [];
    if (hashes === undefined || title === undefined) {
      current.lines.push(line);
      continue;
    }
    chapters.push(current);
    current = { level: hashes.length, title, lines: [] };
  }
  chapters.push(current);
  return chapters
    .map(({ level, title, lines }) => ({ level, title, text: lines.join('\n').trim() }))
    .filter(({ level, text }) => level > 0 || text !== '');
}

/** Returns a report as Markdown. */
const formatReport = (report: ResearchReport): string =>
  report
    .map(({ level, title, text }) =>
      [level === 0 ? '' : `${'#'.repeat(level)} ${title}`, text].filter((part) => part !== '').join('\n\n'),
    )
    .join('\n\n')
    .concat(report.length === 0 ? '' : '\n');

/** Returns the titles of a chapter and of the enclosing ones, outermost first, separated by slashes. */
function chapterPathAt(report: ResearchReport, at: number): string {
  const titles: string[] = [];
  let level = Number.POSITIVE_INFINITY;
  for (let index = at; index >= 0; index--) {
    const chapter = report[index];
    if (chapter === undefined || chapter.level === 0 || chapter.level >= level) continue;
    titles.unshift(chapter.title);
    level = chapter.level;
  }
  return titles.join('/');
}

/**
 * Returns the index of the chapter with that path: the whole path, or its end if that is unique. Throws if there is
 * none.
 */
function chapterIndexOf(report: ResearchReport, path: string): number {
  const wanted = path.trim();
  const paths = report.map((_, at) => chapterPathAt(report, at));
  const exact = paths.indexOf(wanted);
  if (exact !== -1 && wanted !== '') return exact;
  const ending = paths.flatMap((one, at) => (one.endsWith(`/${wanted}`) ? [at] : []));
  const [only, ...others] = ending;
  if (only !== undefined && others.length === 0) return only;
  const known = paths.filter((one) => one !== '').join(', ');
  throw new Error(`there is ${only === undefined ? 'no' : 'more than one'} chapter "${wanted}"; there are: ${known}`);
}

/** Returns the index after a chapter and the chapters inside it. */
function chapterEndOf(report: ResearchReport, at: number): number {
  const level = report[at]?.level ?? 0;
  const next = report.findIndex((chapter, index) => index > at && chapter.level <= level);
  return next === -1 ? report.length : next;
}
