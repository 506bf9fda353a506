import type { Health, InstallationState } from './installation-state.ts';

/** A tenant with what it has stored, and may store. */
export interface StoredShare {
  readonly tenant: string;
  readonly bytes: number;
  readonly limit: number;
}

/** What a line of health is made of. */
export interface HealthSource extends Pick<InstallationState, 'now' | 'workers' | 'queues'> {
  /** Times at which the newest failed runs of the tenant ended, in milliseconds since 1970. */
  readonly failures: readonly number[];
  readonly stored: readonly StoredShare[];
}

/** Returns the state of an installation in one line, with what needs attention first. */
export function healthOf(source: HealthSource): Health {
  const problems = [...queueProblems(source), ...failureProblems(source), ...quotaProblems(source)];
  return {
    level: problems.some(({ level }) => level === 'bad') ? 'bad' : problems.length > 0 ? 'weak' : 'good',
    line: [...problems.map(({ text }) => text), ...loadOf(source)].join(' · '),
  };
}

interface Problem {
  readonly level: 'weak' | 'bad';
  readonly text: string;
}

function queueProblems({ workers, queues }: HealthSource): readonly Problem[] {
  const paused = queues.flatMap((queue): Problem[] =>
    queue.paused ? [{ level: 'weak', text: `queue ${queue.name} is paused` }] : [],
  );
  const isIdle = workers === 0 && queues.some(({ waiting }) => waiting > 0);
  return isIdle ? [{ level: 'bad', text: 'no worker takes what is queued' }, ...paused] : paused;
}

function failureProblems({ failures, now }: HealthSource): readonly Problem[] {
  const up = risingFailures(failures, now);
  if (up === undefined) return [];
  return [{ level: 'bad', text: `failures up since ${clock(up.since)} UTC: ${up.count} runs` }];
}

/** Share of a quota from which it is named. */
const nearShare = 0.9;

const quotaProblems = ({ stored }: HealthSource): readonly Problem[] =>
  stored.flatMap(({ tenant, bytes, limit }): Problem[] =>
    bytes < nearShare * limit
      ? []
      : [{ level: 'weak', text: `tenant ${tenant} uses ${Math.floor((100 * bytes) / limit)}% of its storage` }],
  );

function loadOf({ workers, queues, now }: HealthSource): readonly string[] {
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
  const oldest = queues.flatMap(({ oldestAt }) => (oldestAt === undefined ? [] : [now - oldestAt]));
  const age = oldest.length === 0 ? '' : `, oldest ${ageText(Math.max(0, ...oldest))}`;
  return [
    workers === 1 ? '1 worker' : `${workers} workers`,
    waiting === 0 ? 'nothing queued' : `${waiting} queued${age}`,
  ];
}

const hourMs = 60 * 60 * 1000;
/** Hours that are compared. */
const comparedHours = 24;
/** Failures of an hour from which it can count as one with many, and how many times the usual number they are. */
const manyFailures = 5;
const manyTimes = 3;

/**
 * Returns since when failures are up, and their number: the last hours without a break that have many failures, and three
 * times as many as an average hour before them. Undefined if they are not.
 */
export function risingFailures(
  failures: readonly number[],
  now: number,
): { readonly since: number; readonly count: number } | undefined {
  const current = now - (now % hourMs);
  const byHour = Array.from({ length: comparedHours }, () => 0);
  for (const at of failures) {
    const ago = Math.floor((current + hourMs - 1 - at) / hourMs);
    if (ago >= 0 && ago < comparedHours) byHour[ago] = (byHour[ago] ?? 0) + 1;
  }
  // The current hour may just have begun.
  const first = (byHour[0] ?? 0) < manyFailures ? 1 : 0;
  let hours = first;
  while (hours < comparedHours && (byHour[hours] ?? 0) >= manyFailures) hours += 1;
  if (hours === first || hours === comparedHours) return undefined;
  const recent = sum(byHour.slice(0, hours));
  const before = sum(byHour.slice(hours)) / (comparedHours - hours);
  if (recent / hours < manyTimes * before) return undefined;
  return { since: current - (hours - 1) * hourMs, count: recent };
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

const clock = (at: number): string => new Date(at).toISOString().slice(11, 16);

function ageText(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`;
  return ms < hourMs ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / hourMs)} h`;
}
