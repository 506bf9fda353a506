/** A list of Immutable.js, in which Swagger UI holds operations. */
interface List<T> {
  filter(keeps: (item: T) => boolean): List<T>;
  readonly size: number;
}

/** Groups of operations by their names, in a map of Immutable.js. */
interface Groups {
  map(change: (group: Group, name: string) => Group): Groups;
  filter(keeps: (group: Group) => boolean): Groups;
}

interface Group {
  get(key: 'operations'): List<Operation>;
  set(key: 'operations', operations: List<Operation>): Group;
}

interface Operation {
  get(key: 'path' | 'method'): string;
  getIn(path: readonly ['operation', 'summary' | 'description' | 'operationId'], absent: string): string;
}

/**
 * Returns the groups with those operations whose path, method, name or description contains each word of a phrase; all of
 * a group whose name does. Swagger UI itself would compare the names of groups only.
 */
export function filterOperations(groups: Groups, phrase: string): Groups {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  return groups
    .map((group, name) =>
      holds(name)
        ? group
        : group.set(
            'operations',
            group.get('operations').filter((each) => holds(textOf(each))),
          ),
    )
    .filter((group) => group.get('operations').size > 0);
}

const textOf = (operation: Operation): string =>
  [
    operation.get('method'),
    operation.get('path'),
    ...(['operationId', 'summary', 'description'] as const).map((field) => operation.getIn(['operation', field], '')),
  ].join(' ');
