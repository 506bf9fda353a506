/*
 * Responses with an entity tag are cached. A further request contains the tag, and the server sends the response only if
 * it has changed.
 */

/** Maximum number of cached responses, and maximum length of one, in characters. */
const mostAnswers = 32;
const longestAnswer = 1_000_000;

interface KnownAnswer {
  readonly tag: string;
  /** JSON; each caller gets its own objects. */
  readonly text: string;
}

/** Cache of responses by URL. */
export interface ResponseCache {
  /** Returns the tag of the cached response of a URL; undefined if there is none. */
  tagOf(address: string): string | undefined;
  /** Returns the cached response of a URL. */
  textOf(address: string): string | undefined;
  keep(address: string, answer: KnownAnswer): void;
}

/** Creates an empty cache. */
export function createResponseCache(): ResponseCache {
  const answers = new Map<string, KnownAnswer>();
  return {
    tagOf: (address) => answers.get(address)?.tag,
    textOf: (address) => answers.get(address)?.text,
    keep(address, answer) {
      answers.delete(address);
      if (answer.text.length > longestAnswer) return;
      answers.set(address, answer);
      for (const oldest of answers.keys()) {
        if (answers.size <= mostAnswers) return;
        answers.delete(oldest);
      }
    },
  };
}
