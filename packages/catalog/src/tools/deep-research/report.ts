/** A chapter of a report: a heading with the text below it, up to the next heading. */
export interface Chapter {
  readonly level: number;
  readonly title: string;
  readonly text: string;
}

/** A report as its chapters in order; text before the first heading is a chapter of level 0. */
export type ResearchReport = readonly Chapter[];

/** Parses a report in Markdown. Lines in fenced code are not headings. */
export function parseReport(markdown: string): ResearchReport {
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
export const formatReport = (report: ResearchReport): string =>
  report
    .map(({ level, title, text }) =>
      [level === 0 ? '' : `${'#'.repeat(level)} ${title}`, text].filter((part) => part !== '').join('\n\n'),
    )
    .join('\n\n')
    .concat(report.length === 0 ? '' : '\n');

/** Returns the titles of a chapter and of the enclosing ones, outermost first, separated by slashes. */
export function chapterPathAt(report: ResearchReport, at: number): string {
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
export function chapterIndexOf(report: ResearchReport, path: string): number {
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
export function chapterEndOf(report: ResearchReport, at: number): number {
  const level = report[at]?.level ?? 0;
  const next = report.findIndex((chapter, index) => index > at && chapter.level <= level);
  return next === -1 ? report.length : next;
}
