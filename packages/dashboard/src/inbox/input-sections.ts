/** Part of the input of a question: the message of one node. */
export interface InputSection {
  /** Source node; absent if the text does not name it. */
  readonly from?: string;
  readonly text: string;
}

const headline = /^=== INPUT FROM (.+) \((?:system|user|assistant|tool)\) ===\n\n/gm;

/** Splits the input of a question into its messages, by the headlines that the engine writes. */
export function inputSections(input: string): readonly InputSection[] {
  const heads = [...input.matchAll(headline)];
  if (heads[0]?.index !== 0) return input.trim() === '' ? [] : [{ text: input }];
  return heads.map((head, at) => ({
    from: head[1] === 'TASK' ? 'the task' : (head[1] ?? ''),
    text: input.slice(head.index + head[0].length, heads[at + 1]?.index ?? input.length).trimEnd(),
  }));
}
