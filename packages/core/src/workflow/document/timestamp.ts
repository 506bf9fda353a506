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
export const timestampPattern = new RegExp(`${DATE.source}|${TIME.source}`);

/** Parses a date or a time; undefined if the day or hour does not exist. */
export function readTimestamp(source: string): Timestamp | undefined {
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
