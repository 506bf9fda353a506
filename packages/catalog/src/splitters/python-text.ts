import type { JsonValue } from './python-json.ts';
import { isFields, isList } from './python-json.ts';

/** Returns the text of a value as in Python: objects and lists as JSON, all others as by `str()`. */
export function pythonItemText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (isList(value) || isFields(value)) return pythonJson(value);
  const spelled = pythonNumber(value.number);
  return { NaN: 'nan', Infinity: 'inf', '-Infinity': '-inf' }[spelled] ?? spelled;
}

/** Returns JSON with the separators of Python's `json.dumps(value, ensure_ascii=False)`. */
export function pythonJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isFields(value)) {
    return `{${[...value].map(([key, field]) => `${JSON.stringify(key)}: ${pythonJson(field)}`).join(', ')}}`;
  }
  if (isList(value)) return `[${value.map(pythonJson).join(', ')}]`;
  return pythonNumber(value.number);
}

/** Returns a number of a JSON text as in Python: whole numbers in full, others as by `repr(float)`. */
function pythonNumber(written: string): string {
  if (/^-?\d+$/.test(written)) return written === '-0' ? '0' : written;
  const value = Number(written);
  if (!Number.isFinite(value)) return String(value);
  return pythonFloat(value);
}

/**
 * Returns the `repr` of a float: the shortest digits that give the same number, with an exponent below 1e-4 and from
 * 1e16 on.
 */
function pythonFloat(value: number): string {
  const [digits = '', power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) {
    const fixed = exponent >= 0 ? String(value) : fixedFraction(digits, -exponent);
    return fixed.includes('.') ? fixed : `${fixed}.0`;
  }
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function fixedFraction(digits: string, zeros: number): string {
  const sign = digits.startsWith('-') ? '-' : '';
  return `${sign}0.${'0'.repeat(zeros - 1)}${digits.replace(/[-.]/g, '')}`;
}
