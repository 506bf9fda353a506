/*
 * Errors as servers report them: with an error status, in a body of status 200, or in the middle of a stream; as an object,
 * a list with an object, a text, or a page. All of them are read here.
 */

/** What a server says about an error. */
export interface ReportedError {
  readonly message: string;
  /** HTTP status that the report itself names; absent if it names none. */
  readonly status?: number;
  /** Codes and types of the error, in the words of the server; the most specific ones first. */
  readonly words: readonly string[];
  /** Field of the request that the server refuses. */
  readonly param?: string;
  /** Time that the server asks the caller to wait. */
  readonly retryAfterSeconds?: number;
}

/** An error that a server reported in a response of status 200, or in the middle of a stream. */
export class ReportedFailure extends Error {
  readonly report: ReportedError;
  constructor(report: ReportedError) {
    super(report.message);
    this.name = 'ReportedFailure';
    this.report = report;
  }
}

/** Throws a ReportedFailure if a body, or an event of a stream, reports an error. */
export function assertNoError(body: unknown): void {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (!isObject(first) || first['error'] === undefined || first['error'] === null) return;
  throw new ReportedFailure(reportIn(first));
}

/** Returns the report in the body of an error; the text of a page is its title. */
export function readReport(text: string): ReportedError {
  const trimmed = text.slice(0, mostCharacters).trim();
  if (/^<(!doctype|html|head|body)/i.test(trimmed)) {
    const title = /<title[^>]*>([^<]{1,300})/i.exec(trimmed.slice(0, mostOfPage))?.[1]?.trim();
    return { message: title ?? 'the response is a web page', words: [] };
  }
  try {
    const body: unknown = JSON.parse(trimmed);
    return reportIn(Array.isArray(body) ? body[0] : body);
  } catch {
    return { message: trimmed.slice(0, mostOfMessage), words: [] };
  }
}

type Json = Readonly<Record<string, unknown>>;

/** Maximum length of a report that is read, of its title as a page, and of its message, in characters. */
const mostCharacters = 100_000;
const mostOfPage = 5000;
const mostOfMessage = 2000;
/** Maximum number of objects in each other, and of details, that are looked at. */
const mostLevels = 4;
const mostDetails = 20;

function reportIn(body: unknown): ReportedError {
  const levels = levelsOf(body);
  const message = (levels.map(messageIn).findLast((text) => text !== '') ?? '').slice(0, mostOfMessage);
  const values = (name: string): readonly unknown[] => levels.map((level) => level[name]).reverse();
  const status = [...values('status'), ...values('code')].map(Number).find(isStatus);
  const words = ['code', 'type', 'status'].flatMap((name) =>
    values(name).filter((value): value is string => typeof value === 'string'),
  );
  const param = values('param').find((value): value is string => typeof value === 'string');
  const delay = retryDelay(levels);
  return {
    message,
    words,
    ...(status === undefined ? {} : { status }),
    ...(param === undefined ? {} : { param }),
    ...(delay === undefined ? {} : { retryAfterSeconds: delay }),
  };
}

/** Returns the objects of a report, the outer ones first: `{error: {error: …}}`. */
function levelsOf(body: unknown): readonly Json[] {
  const levels: Json[] = [];
  let level: unknown = body;
  while (levels.length < mostLevels && isObject(level)) {
    levels.push(level);
    level = level['error'];
  }
  return levels;
}

/**
 * Returns the message of one level: most servers write `message`, some a text as `error`, FastAPI `detail`, which some put into
 * `message`.
 */
function messageIn({ message, error, detail }: Json): string {
  if (typeof message === 'string') return message;
  if (isObject(message)) return detailText(message['detail']);
  if (typeof error === 'string') return error;
  return detailText(detail);
}

/** Returns the problems that FastAPI lists, each with the field that it is about. */
function detailText(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  const details = Array.isArray(detail) ? detail.slice(0, mostDetails) : [];
  return details.flatMap((each) => (isObject(each) ? problemText(each) : [])).join('; ');
}

function problemText({ loc, msg }: Json): readonly string[] {
  if (typeof msg !== 'string') return [];
  const field: unknown = Array.isArray(loc) ? loc.at(-1) : undefined;
  return [typeof field === 'string' ? `${field}: ${msg}` : msg];
}

/** Returns the wait that Google asks for: `{"@type": "…RetryInfo", "retryDelay": "7s"}`. */
function retryDelay(levels: readonly Json[]): number | undefined {
  const details = levels.flatMap(({ details: list }) => (Array.isArray(list) ? list.slice(0, mostDetails) : []));
  const delays = details.flatMap((each) =>
    isObject(each) && typeof each['retryDelay'] === 'string' ? [each['retryDelay']] : [],
  );
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(delays[0] ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

const isStatus = (value: number): boolean => Number.isInteger(value) && value >= 400 && value < 600;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
