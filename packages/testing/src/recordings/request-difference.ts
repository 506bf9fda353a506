/** A part of a request that differs from the recorded one; an absent text is not in that request. */
export interface RequestDifference {
  /** Role of the message, or path of the value. */
  readonly label: string;
  readonly recorded?: string;
  readonly asked?: string;
}

/** Returns the parts in which two requests of a step differ, in their order: messages by their roles, other values by their paths. */
export function requestDifferences(recorded: unknown, asked: unknown): readonly RequestDifference[] {
  const [before, after] = [partsOf(recorded, ''), partsOf(asked, '')];
  const places = [...new Set([...before.keys(), ...after.keys()])];
  return places.flatMap((place) => {
    const [old, fresh] = [before.get(place), after.get(place)];
    if (old?.text === fresh?.text) return [];
    const label = fresh?.label ?? old?.label ?? place;
    return [
      {
        label,
        ...(old === undefined ? {} : { recorded: old.text }),
        ...(fresh === undefined ? {} : { asked: fresh.text }),
      },
    ];
  });
}

interface RequestPart {
  readonly label: string;
  readonly text: string;
}

/** Returns the texts of a request by their paths. */
function partsOf(value: unknown, path: string): ReadonlyMap<string, RequestPart> {
  if (typeof value !== 'object' || value === null)
    return new Map([[path, { label: path, text: typeof value === 'string' ? value : (JSON.stringify(value) ?? '') }]]);
  if ('role' in value && 'content' in value) return messageParts(value, path);
  const entries = Array.isArray(value) ? value.map((item, at) => [String(at), item] as const) : Object.entries(value);
  return new Map(entries.flatMap(([key, field]) => [...partsOf(field, path === '' ? key : `${path}.${key}`)]));
}

/** Returns the text of a message under its role, and its other values. */
function messageParts(message: object, path: string): ReadonlyMap<string, RequestPart> {
  const { role, content, ...others } = message as { readonly role: unknown; readonly content: unknown }; // it was asked for both
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
  const label = String(role);
  const rest = Object.entries(others).flatMap(([key, field]) =>
    [...partsOf(field, `${path}.${key}`)].map(
      ([place, part]) => [place, { ...part, label: `${label} ${key}` }] as const,
    ),
  );
  return new Map([[path, { label, text }], ...rest]);
}

/** Lines of a text that are shown on each side of a difference. */
const mostLines = 6;
/** Characters of a line. */
const longestLine = 160;

/** Returns differences as lines of text: what was recorded behind `-`, what is asked behind `+`. */
export function differenceLines(differences: readonly RequestDifference[]): readonly string[] {
  const width = Math.max(...differences.map(({ label }) => label.length), 0);
  return differences.flatMap(({ label, recorded, asked }) => {
    const { before, after } = changedLines(recorded, asked);
    const lines = [...before.map((line) => `- ${line}`), ...after.map((line) => `+ ${line}`)];
    return lines.map((line, at) => `${(at === 0 ? label : '').padEnd(width)}  ${line}`);
  });
}

/** Returns the lines between those that both texts begin and end with. */
function changedLines(recorded: string | undefined, asked: string | undefined) {
  const [old, fresh] = [linesOf(recorded), linesOf(asked)];
  let head = 0;
  while (head < Math.min(old.length, fresh.length) && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, fresh.length) - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const [before, after] = [old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)];
  const at = Math.max(0, firstDifference(before[0] ?? '', after[0] ?? '') - longestLine / 2);
  return { before: shown(before, at), after: shown(after, at) };
}

const linesOf = (text: string | undefined): readonly string[] => (text === undefined ? [] : text.split('\n'));

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < Math.min(one.length, other.length) && one[at] === other[at]) at++;
  return at;
}

function shown(lines: readonly string[], from: number): readonly string[] {
  const rest = lines.length - mostLines;
  const some = lines.slice(0, mostLines).map((line, at) => cut(line, at === 0 ? from : 0));
  return rest > 0 ? [...some, `… and ${rest} ${rest === 1 ? 'line' : 'lines'} more`] : some;
}

const cut = (line: string, from: number): string =>
  `${from > 0 ? '…' : ''}${line.slice(from, from + longestLine)}${line.length > from + longestLine ? '…' : ''}`;
