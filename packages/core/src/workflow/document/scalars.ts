import type { ScalarTag, Tags } from 'yaml';

/** A date or time of YAML; `text` is its form in Python. A field that takes a text refuses it. */
export class Timestamp {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toJSON(): string {
    return this.text;
  }
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(?:(Z)|([-+])(\d\d?)(?::(\d\d))?))?$/;

/** Pattern of the scalars that PyYAML reads as a date or a time. */
const timestampPattern = new RegExp(`${DATE.source}|${TIME.source}`);

/** Parses a date or a time; undefined if the day or hour does not exist. */
function readTimestamp(source: string): Timestamp | undefined {
  const [, year = '', month = '', day = ''] = DATE.exec(source) ?? TIME.exec(source) ?? [];
  if (!isDay(Number(year), Number(month), Number(day))) return undefined;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = TIME.exec(source);
  if (time === null) return new Timestamp(date);
  const [hour = '', minute = '', second = '', fraction = '', utc, sign, offsetHours = '', offsetMinutes = ''] =
    time.slice(4);
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const micros = Number(fraction.slice(0, 6).padEnd(6, '0')) === 0 ? '' : `.${fraction.slice(0, 6).padEnd(6, '0')}`;
  const offset = sign === undefined ? '' : `${sign}${offsetHours.padStart(2, '0')}:${offsetMinutes.padStart(2, '0')}`;
  const zone = utc === undefined ? offset : '+00:00';
  return new Timestamp(`${date} ${hour.padStart(2, '0')}:${minute}:${second}${micros}${zone}`);
}

function isDay(year: number, month: number, day: number): boolean {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return year >= 1 && day >= 1 && day <= (days[month - 1] ?? 0);
}

/**
 * Returns tags that give plain scalars exactly the types of PyYAML's FullLoader, which follows neither YAML 1.1 nor
 * 1.2: `y` is a string, `1e3` is a string, `08` is a string, `010` is 8, `1:30` is 90, and a bare `=` is refused.
 */
export function pythonTags(yaml11: Tags): Tags {
  const kept = ['map', 'seq', 'str', 'omap', 'pairs', 'set', 'merge'].map((name) => `tag:yaml.org,2002:${name}`);
  const structure = yaml11.filter((tag) => typeof tag === 'object' && kept.includes(tag.tag));
  return [...structure, ...scalarTags];
}

const FLOAT_DECIMAL = /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)$/;
const FLOAT_SIXTIES = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$/;
const FLOAT_SPECIAL = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/** Returns whether a plain scalar is a floating-point number in Python, which distinguishes `2.0` from `2`. */
export const isFloat = (source: string): boolean =>
  FLOAT_DECIMAL.test(source) || FLOAT_SIXTIES.test(source) || FLOAT_SPECIAL.test(source);

const scalar = (
  name: string,
  test: RegExp,
  resolve: (source: string, onError: (message: string) => void) => unknown,
): ScalarTag => ({ tag: `tag:yaml.org,2002:${name}`, default: true, test, resolve });

const scalarTags: readonly ScalarTag[] = [
  scalar('bool', /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/, () => true),
  scalar('bool', /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/, () => false),
  scalar('float', FLOAT_DECIMAL, (source) => Number(plain(source))),
  scalar('float', FLOAT_SIXTIES, inSixties),
  scalar('float', FLOAT_SPECIAL, special),
  scalar('int', /^[-+]?0b[0-1_]+$/, (source) => inBase(source, 2)),
  scalar('int', /^[-+]?0x[0-9a-fA-F_]+$/, (source) => inBase(source, 16)),
  scalar('int', /^[-+]?0[0-7_]+$/, (source) => inBase(source, 8)),
  scalar('int', /^[-+]?(?:0|[1-9][0-9_]*)$/, (source) => Number(plain(source))),
  scalar('int', /^[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+$/, inSixties),
  scalar('null', /^(?:~|null|Null|NULL|)$/, () => null),
  scalar('timestamp', timestampPattern, (source, onError) => {
    const timestamp = readTimestamp(source);
    if (timestamp === undefined) onError(`${source} is not a date`);
    return timestamp;
  }),
  scalar('value', /^=$/, (source, onError) => {
    onError('A bare = has a special meaning in YAML; write it in quotes');
    return source;
  }),
];

const plain = (source: string): string => source.replaceAll('_', '');

function inBase(source: string, base: number): number {
  const digits = plain(source)
    .replace(/^[-+]/, '')
    .replace(/^0[bx]/, '');
  return (source.startsWith('-') ? -1 : 1) * (Number.parseInt(digits, base) || 0);
}

function inSixties(source: string): number {
  const parts = plain(source).replace(/^[-+]/, '').split(':');
  const value = parts.reduce((sum, part) => sum * 60 + Number(part), 0);
  return source.startsWith('-') ? -value : value;
}

function special(source: string): number {
  if (/nan$/i.test(source)) return Number.NaN;
  return source.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}
