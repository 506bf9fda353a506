import type { FanOut, Items, Message, Plan } from '@millrace/core';
import { fillItems, itemsOf, textOf, withItems } from '@millrace/core';

/**
 * Items of fan-outs under the names that authors gave them. They travel in the metadata of messages: a unit's message
 * gets its item when the fan-out splits its input; an output has exactly the items of the units that its activation takes
 * place in, so that a chain of maps keeps them, and the first node that joins the units drops them.
 */

const naming = new WeakMap<Plan, boolean>();

/** Returns whether any fan-out of the plan names its items; in other plans messages are left as they are. */
export function hasNamedItems(plan: Plan): boolean {
  const known = naming.get(plan);
  if (known !== undefined) return known;
  const found = [...plan.graphs.values()].some(({ nodes }) =>
    nodes.some(({ fanOut }) => fanOut?.itemName !== undefined),
  );
  naming.set(plan, found);
  return found;
}

/** Returns the items of units, inner ones over outer ones. A unit of several messages has the items that all of them share. */
export const itemsOfUnits = (units: readonly (readonly Message[])[]): Items =>
  Object.fromEntries(units.flatMap((messages) => common(messages.map(itemsOf))));

function common([first = {}, ...others]: readonly Items[]): [string, unknown][] {
  return Object.entries(first).filter(([name, value]) =>
    others.every((items) => Object.hasOwn(items, name) && JSON.stringify(items[name]) === JSON.stringify(value)),
  );
}

/** Returns what puts a unit under the fan-out's name for it, beside the items that its message carried already. */
export function itemNamer({ itemName, split }: FanOut): (unit: Message) => Message {
  if (itemName === undefined) return (unit) => unit;
  const read = split.type.startsWith('json_') ? jsonOf : textOf;
  return (unit) => withItems(unit, { ...itemsOf(unit), [itemName]: read(unit) });
}

/** The value of an item that was JSON; texts stay texts, also those that look like a number. */
function jsonOf(unit: Message): unknown {
  const text = textOf(unit);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : text;
  } catch {
    // An item may be plain text.
    return text;
  }
}

/** Returns the outputs of an activation with the items of its own units and no others. */
export const withUnitItems = (
  outputs: readonly Message[],
  { plan, items }: { readonly plan: Plan; readonly items: Items },
): readonly Message[] => (hasNamedItems(plan) ? outputs.map((output) => withItems(output, items)) : outputs);

/** A node's configuration with items and variables filled in where the node type allows for it. */
export function fillConfig(config: unknown, templates: readonly string[], items: Items): unknown {
  if (typeof config !== 'object' || config === null || Object.keys(items).length === 0) return config;
  const filled = templates.flatMap((field): [string, unknown][] => {
    const value: unknown = Reflect.get(config, field);
    return value === undefined ? [] : [[field, fillValue(value, items)]];
  });
  return { ...config, ...Object.fromEntries(filled) };
}

/** Returns a value of a configuration with items and variables filled in all of its texts. */
function fillValue(value: unknown, items: Items): unknown {
  if (typeof value === 'string') return fillItems(value, items);
  if (Array.isArray(value)) return value.map((one) => fillValue(one, items));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fillValue(one, items)]));
}
