import { isMapping } from '../document/mapping.ts';
import type { VariableNode, VariableScope } from './variable-scope.ts';

/** A placeholder in a text, with the name of its variable; with a second `$` it is escaped. */
export const placeholderPattern = /\$?\$\{([A-Za-z0-9_]+)\}/g;

/**
 * Returns the circle that an own variable of a scope is part of, or leads into: its names, of which the first and the last are the
 * same. Each variable is looked at once, however many others refer to it.
 */
export function circleFrom(name: string, scope: VariableScope): readonly string[] | undefined {
  const start = nodeIn(scope, name);
  if (start.next === undefined) findNext(start);
  return start.next === null ? undefined : circleOf(start);
}

/** Returns what is known of an own variable of a scope among those that refer to each other. */
export function nodeIn(scope: VariableScope, name: string): VariableNode {
  const node = scope.nodes.get(name) ?? { name, scope };
  scope.nodes.set(name, node);
  return node;
}

/** Follows references in their order, without recursion, until one closes a circle or leads into a known one. */
function findNext(start: VariableNode): void {
  const trail = [{ node: start, references: referencesOf(start) }];
  const open = new Set([start]);
  for (let last = trail.at(-1); last !== undefined; last = trail.at(-1)) {
    const reference = last.references.shift();
    if (reference === undefined) {
      last.node.next = null;
      open.delete(last.node);
      trail.pop();
    } else if (open.has(reference) || reference.next) {
      last.node.next = reference;
      for (const [at, { node }] of trail.slice(0, -1).entries()) node.next = trail[at + 1]?.node ?? null;
      return;
    } else if (reference.next === undefined) {
      open.add(reference);
      trail.push({ node: reference, references: referencesOf(reference) });
    }
  }
}

/** Returns the variables that the value of a variable refers to, in their order. */
function referencesOf({ name, scope }: VariableNode): VariableNode[] {
  const found = new Set<VariableNode>();
  for (const referred of namesIn(scope.own[name], scope.compat)) {
    const node = referred === name ? hidden(referred, scope) : visible(referred, scope);
    if (node !== undefined) found.add(node);
  }
  return [...found];
}

/** Returns the names of the variables that a value uses. */
function namesIn(value: unknown, compat: boolean): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => namesIn(entry, compat));
  if (isMapping(value)) return Object.values(value).flatMap((entry) => namesIn(entry, compat));
  if (typeof value !== 'string') return [];
  return [...value.matchAll(placeholderPattern)].flatMap(([text, name = '']) =>
    text.startsWith('$$') && !compat ? [] : [name],
  );
}

/** Returns the variable that a name means in a scope; undefined for those of the environment. */
function visible(name: string, scope: VariableScope): VariableNode | undefined {
  return Object.hasOwn(scope.own, name) ? nodeIn(scope, name) : hidden(name, scope);
}

/** Returns the variable that one of a scope hides, which its own value means by its name. */
const hidden = (name: string, { parent }: VariableScope): VariableNode | undefined => parent && visible(name, parent);

function circleOf(start: VariableNode): readonly string[] {
  const way = new Set<VariableNode>();
  let node = start;
  while (node.circle === undefined && node.isInCircle === undefined && !way.has(node)) {
    way.add(node);
    node = nextOf(node);
  }
  if (way.has(node)) for (const member of [node, ...after(node)]) member.isInCircle = true;
  node.circle ??= [node, ...after(node), node].map(({ name }) => name);
  // The others lead into it there.
  for (const before of way) if (before.isInCircle === undefined) before.circle = node.circle;
  return node.circle;
}

/** Returns the other members of a circle, from the one after a member on. */
function after(member: VariableNode): readonly VariableNode[] {
  const others: VariableNode[] = [];
  for (let node = nextOf(member); node !== member; node = nextOf(node)) others.push(node);
  return others;
}

function nextOf({ name, next }: VariableNode): VariableNode {
  if (next == null) throw new Error(`variable ${name} leads into no circle`);
  return next;
}
