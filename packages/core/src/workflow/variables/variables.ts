import { omitUndefined } from '../../model/omit-undefined.ts';
import { isMapping, mapEntries } from '../document/mapping.ts';
import { Timestamp } from '../document/scalars.ts';
import type { Environment } from './environment.ts';

/**
 * Variables that a file may use: its own, then those of the file that includes it, then the environment. Values of
 * variables may use variables; values of the environment are used as they are. `$${NAME}` is the text `${NAME}`.
 */
export interface VariableScope {
  readonly own: Readonly<Record<string, unknown>>;
  readonly parent?: VariableScope;
  readonly environment: Environment;
  /** Names of the variables of the environment that were used; shared by all scopes of a workflow. */
  readonly taken: Set<string>;
  /** In the original engine, `$${NAME}` is `$` and the value. */
  readonly compat: boolean;
  /** Names of the scope's own variables that are used. */
  readonly used: Set<string>;
  /** Names of those that are used in secret fields. */
  readonly usedInSecrets: Set<string>;
  /**
   * Remaining characters, shared by all scopes of a workflow: variables that contain each other twice grow without
   * bound.
   */
  readonly budget: { characters: number };
  /** Returns whether an own variable is written as a floating-point number, which is visible in a text. */
  isFloat(name: string): boolean;
}

/** A text with its `${…}` replaced. */
export interface ResolvedText {
  readonly value: unknown;
  /** Names without a value; their placeholders stay in the text. */
  readonly missing: readonly string[];
  /** Names of the environment that hold secrets, or belong to the machine, and are not used. */
  readonly withheld?: readonly { readonly name: string; readonly reason: 'secret' | 'machine' }[];
  /** Names that are escaped, as `$${NAME}`, and have a value. */
  readonly escaped?: readonly string[];
  /** The names of a cycle of variables; the first and the last are the same. */
  readonly circle?: readonly string[];
  /** The budget is spent; the value is incomplete. */
  readonly tooLarge?: true;
}

/** Maximum number of characters that the variables of one workflow expand to. */
export const maxExpandedChars = 20 * 1024 * 1024;

interface Visit {
  readonly scope: VariableScope;
  readonly name: string;
}

interface Lookup {
  /** Secrets keep references to the environment: they are read where the call is made. */
  readonly secret: boolean;
  /** The variables whose values are being resolved, outermost first. */
  readonly trail: readonly Visit[];
}

const PLACEHOLDER = /\$?\$\{([A-Za-z0-9_]+)\}/g;
const ONLY_PLACEHOLDER = /^\s*\$\{([A-Za-z0-9_]+)\}\s*$/;

/** Replaces the placeholders of a text. A text that is one placeholder becomes the variable's value, with its type. */
export function resolveText(text: string, scope: VariableScope, secret: boolean): ResolvedText {
  return resolveIn(text, scope, { secret, trail: [] });
}

/** Returns the cycle that a variable is part of or leads into, if there is one. */
export function variableCycleFrom(name: string, scope: VariableScope): readonly string[] | undefined {
  return lookUp(
    name,
    { ...scope, used: new Set(), usedInSecrets: new Set(), taken: new Set(), budget: { characters: maxExpandedChars } },
    { secret: true, trail: [] },
  ).circle;
}

function resolveIn(text: string, scope: VariableScope, lookup: Lookup): ResolvedText {
  if (!text.includes('${')) return { value: text, missing: [] };
  const only = ONLY_PLACEHOLDER.exec(text)?.[1];
  if (only !== undefined) {
    const found = lookUp(only, scope, lookup);
    return isFullyResolved(found) ? found : { ...found, value: text };
  }
  const parts: ResolvedText[] = [];
  const value = text.replace(PLACEHOLDER, (placeholder, name: string) => {
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

function lookUp(name: string, scope: VariableScope, { secret, trail }: Lookup): ResolvedText {
  if (scope.budget.characters <= 0) return { value: undefined, missing: [], tooLarge: true };
  scope.budget.characters--;
  const current = trail.at(-1);
  // A variable that refers to its own name means the one that it hides: that of the including file or the environment.
  const hidesItself = current?.name === name && current.scope.own === scope.own;
  if (Object.hasOwn(scope.own, name) && !hidesItself) {
    const from = trail.findIndex((visit) => visit.name === name && visit.scope.own === scope.own);
    if (from !== -1) return { value: undefined, missing: [], circle: [...trail.slice(from).map((v) => v.name), name] };
    scope.used.add(name);
    if (secret) scope.usedInSecrets.add(name);
    return resolveValue(scope.own[name], scope, { secret, trail: [...trail, { scope, name }] });
  }
  if (scope.parent !== undefined) return lookUp(name, scope.parent, { secret, trail });
  if (secret) return { value: `\${${name}}`, missing: [] };
  const found = scope.environment.find(name, current?.name === name);
  if (found.type === 'missing') return { value: undefined, missing: [name] };
  if (found.type !== 'value') return { value: undefined, missing: [], withheld: [{ name, reason: found.type }] };
  scope.taken.add(name);
  return { value: found.value, missing: [] };
}

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
