import { Timestamp } from '../document/timestamp.ts';

/**
 * Returns a value of a YAML document as Python's `str()` does, as authors see it where a variable is used in a text.
 */
export function pythonStr(value: unknown, written: { readonly float: boolean } = { float: false }): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && written.float && Number.isInteger(value)) return `${numberText(value)}.0`;
  return repr(value);
}

function repr(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return quoted(value);
  if (value instanceof Timestamp) return value.text;
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  const entries = Object.entries(value).map(([key, entry]) => `${quoted(key)}: ${repr(entry)}`);
  return `{${entries.join(', ')}}`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Number.isInteger(value)) return BigInt(value).toString();
  const [mantissa = '', exponent] = value.toExponential().split('e');
  const power = Number(exponent);
  return power < -4 ? `${mantissa}e-${String(-power).padStart(2, '0')}` : String(value);
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replaceAll(quote, `\\${quote}`);
  return quote + escaped + quote;
}
