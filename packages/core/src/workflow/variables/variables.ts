import { omitUndefined } from '../../model/omit-undefined.ts';
import { isMapping, mapEntries } from '../document/mapping.ts';
import { Timestamp } from '../document/scalars.ts';
import { circleFrom, nodeIn, placeholderPattern } from './circles.ts';
import type { ResolvedText, VariableNode, VariableScope } from './variable-scope.ts';

/** Maximum number of characters that the variables of one workflow expand to. */
export const maxExpandedChars = 20 * 1024 * 1024;

interface Visit {
  readonly scope: VariableScope;
  readonly name: string;
}

interface Lookup {
  /** Secrets keep references to the environment: they are read where the call is made. */
  readonly secret: boolean;
  /** The variable whose value is being resolved. */
  readonly current?: Visit;
  /** Number of the variables whose values are being resolved, each for the one before. */
  readonly depth: number;
  /** Those that lead into a circle: they have no value, and each is looked at once for what it lacks. */
  readonly circular: Set<VariableNode>;
}

/** Maximum number of variables that are resolved each for the one before. */
const maxDepth = 1000;
/** Maximum number of names that are kept with a resolved variable: what lacks more is resolved again. */
const maxNames = 100;

const ONLY_PLACEHOLDER = /^\s*\$\{([A-Za-z0-9_]+)\}\s*$/;

/** Replaces the placeholders of a text. A text that is one placeholder becomes the variable's value, with its type. */
export function resolveText(text: string, scope: VariableScope, secret: boolean): ResolvedText {
  return resolveIn(text, scope, { secret, depth: 0, circular: new Set() });
}

function resolveIn(text: string, scope: VariableScope, lookup: Lookup): ResolvedText {
  if (!text.includes('${')) return { value: text, missing: [] };
  const only = ONLY_PLACEHOLDER.exec(text)?.[1];
  if (only !== undefined) {
    const found = lookUp(only, scope, lookup);
    return isFullyResolved(found) ? found : { ...found, value: text };
  }
  const parts: ResolvedText[] = [];
  const value = text.replace(placeholderPattern, (placeholder, name: string) => {
    const isDoubled = placeholder.startsWith('$$');
    if (isDoubled && !scope.compat) {
      if (hasValue(name, scope)) parts.push({ value: placeholder, missing: [], escaped: [name] });
      // In a secret, the worker replaces references, and so it also reads the escape.
      return lookup.secret ? placeholder : placeholder.slice(1);
    }
    const found = lookUp(name, scope, lookup);
    parts.push(found);
    if (!isFullyResolved(found)) return placeholder;
    return (isDoubled ? '$' : '') + pythonStr(found.value, { float: isFloatVariable(name, scope) });
  });
  return joined(value, parts);
}

function hasValue(name: string, scope: VariableScope): boolean {
  if (Object.hasOwn(scope.own, name)) return true;
  return scope.parent === undefined
    ? scope.environment.find(name, false).type === 'value'
    : hasValue(name, scope.parent);
}

/** Returns whether all variables in the text have a value. */
export const isFullyResolved = ({ missing, withheld, circle, tooLarge }: ResolvedText): boolean =>
  missing.length === 0 && withheld === undefined && circle === undefined && tooLarge === undefined;

function joined(value: unknown, parts: readonly ResolvedText[]): ResolvedText {
  const circle = parts.find((part) => part.circle !== undefined)?.circle;
  const tooLarge = parts.some((part) => part.tooLarge);
  const withheld = parts.flatMap((part) => part.withheld ?? []);
  const escaped = parts.flatMap((part) => part.escaped ?? []);
  return {
    value,
    missing: parts.flatMap((part) => part.missing),
    ...omitUndefined({ circle }),
    ...(withheld.length > 0 ? { withheld } : {}),
    ...(escaped.length > 0 ? { escaped } : {}),
    ...(tooLarge ? { tooLarge } : {}),
  };
}

function lookUp(name: string, scope: VariableScope, lookup: Lookup): ResolvedText {
  const { secret, current } = lookup;
  const { budget, own } = scope;
  // A variable that refers to its own name means the one that it hides: that of the including file or the environment.
  const hidesItself = current?.name === name && current.scope.own === own;
  if (Object.hasOwn(own, name) && !hidesItself) return lookUpOwn(name, scope, lookup);
  budget.asked = budget.characters;
  if (budget.characters <= 0) return tooLarge;
  budget.characters--;
  if (scope.parent !== undefined) return lookUp(name, scope.parent, lookup);
  if (secret) return { value: `\${${name}}`, missing: [] };
  const found = scope.environment.find(name, current?.name === name);
  if (found.type === 'missing') return { value: undefined, missing: [name] };
  if (found.type !== 'value') return { value: undefined, missing: [], withheld: [{ name, reason: found.type }] };
  scope.taken.add(name);
  return { value: found.value, missing: [] };
}

const tooLarge: ResolvedText = { value: undefined, missing: [], tooLarge: true };

function lookUpOwn(name: string, scope: VariableScope, { secret, depth, circular }: Lookup): ResolvedText {
  const { budget, resolved, own } = scope;
  const before = budget.characters;
  budget.asked = before;
  if (before <= 0) return tooLarge;
  scope.used.add(name);
  if (secret) scope.usedInSecrets.add(name);
  const key = secret ? `secret ${name}` : name;
  const known = resolved.get(key);
  if (known !== undefined) {
    budget.asked = before - known.asked;
    budget.characters -= known.cost;
    return budget.asked <= 0 ? tooLarge : known.found;
  }
  budget.characters--;
  const circle = circleFrom(name, scope);
  const isFirst = circular.size === 0;
  if (circle !== undefined) {
    const node = nodeIn(scope, name);
    if (circular.has(node)) return { value: undefined, missing: [], circle };
    circular.add(node);
  }
  if (depth >= maxDepth) return tooLarge;
  const inner = { secret, current: { scope, name }, depth: depth + 1, circular };
  const found = namedOnce(resolveValue(own[name], scope, inner), circle);
  const isKept = !found.tooLarge && namesIn(found) <= maxNames && (circle === undefined || isFirst);
  if (isKept) resolved.set(key, { found, cost: before - budget.characters, asked: before - (budget.asked ?? before) });
  return found;
}

/** Returns what was found with each name once. */
function namedOnce({ value, ...found }: ResolvedText, circle: readonly string[] | undefined): ResolvedText {
  const { missing, withheld, escaped } = found;
  return {
    ...found,
    value: circle === undefined ? value : undefined,
    missing: [...new Set(missing)],
    ...(withheld && { withheld: [...new Map(withheld.map((one) => [one.name, one])).values()] }),
    ...(escaped && { escaped: [...new Set(escaped)] }),
    ...omitUndefined({ circle }),
  };
}

const namesIn = ({ missing, withheld = [], escaped = [] }: ResolvedText): number =>
  missing.length + withheld.length + escaped.length;

function resolveValue(value: unknown, scope: VariableScope, lookup: Lookup): ResolvedText {
  if (typeof value === 'string') {
    const resolved = resolveIn(value, scope, lookup);
    if (typeof resolved.value === 'string') scope.budget.characters -= resolved.value.length;
    return resolved;
  }
  if (!Array.isArray(value) && !isMapping(value)) return { value, missing: [] };
  const parts: ResolvedText[] = [];
  const inner = (entry: unknown): unknown => {
    const part = resolveValue(entry, scope, lookup);
    parts.push(part);
    return part.value;
  };
  const copy = Array.isArray(value) ? value.map(inner) : mapEntries(value, (_key, entry) => inner(entry));
  scope.budget.characters -= parts.length;
  return joined(copy, parts);
}

function isFloatVariable(name: string, scope: VariableScope | undefined): boolean {
  if (scope === undefined) return false;
  return Object.hasOwn(scope.own, name) ? scope.isFloat(name) : isFloatVariable(name, scope.parent);
}

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
