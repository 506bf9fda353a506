/** Arguments of commit.lua. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** Arguments of one command inside the script: Lua's `unpack` gives up near 8,000. Even, so that pairs stay together. */
const chunkSize = 4000;

/** The writes of one call of commit.lua, as they are put together. */
export interface CommandList extends ScriptCall {
  /** Adds a command, as several ones when it has many arguments, and not at all when it has none. */
  add(command: string, key: string, values: readonly string[]): void;
  addPlain(command: string, key: string, values: readonly string[]): void;
}

/** A list without writes; `args` holds what comes before them. */
export function commandList(keys: string[], args: string[]): CommandList {
  const indices = new Map(keys.map((key, index) => [key, index + 1]));
  const indexOf = (key: string): number => {
    const known = indices.get(key);
    if (known !== undefined) return known;
    indices.set(key, keys.push(key));
    return keys.length;
  };
  const addPlain: CommandList['addPlain'] = (command, key, values) => {
    args.push(command, String(indexOf(key)), String(values.length));
    for (const value of values) args.push(value);
  };
  return {
    keys,
    args,
    addPlain,
    add(command, key, values) {
      for (let from = 0; from < values.length; from += chunkSize) {
        addPlain(command, key, values.length <= chunkSize ? values : values.slice(from, from + chunkSize));
      }
    },
  };
}
