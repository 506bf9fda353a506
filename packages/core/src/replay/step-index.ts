import type { RecordedActivation, StepPlace } from './recording.ts';

/** Characters of the hash of a request that choose its part: those of 200,000 steps are in parts of fifty. */
const head = 3;

/** The steps of a recording by what they ask. */
export class StepIndex {
  /** In parts, as a Map of hundreds of thousands copies all of them at once when it grows. */
  readonly #parts = new Map<string, Map<string, StepPlace[]>>();

  /** Adds the steps of the next activation. */
  add({ activation, steps }: Pick<RecordedActivation, 'activation' | 'steps'>): void {
    steps.forEach(({ name, request }, step) => {
      const part = this.#parts.get(request.slice(0, head)) ?? new Map<string, StepPlace[]>();
      this.#parts.set(request.slice(0, head), part);
      const places = part.get(keyOf(name, request));
      if (places === undefined) part.set(keyOf(name, request), [{ activation, step }]);
      else places.push({ activation, step });
    });
  }

  /** Returns the steps with a name and request, in the order in which they were added. */
  asking(name: string, request: string): readonly StepPlace[] {
    return this.#parts.get(request.slice(0, head))?.get(keyOf(name, request)) ?? [];
  }
}

const keyOf = (name: string, request: string): string => `${name}\n${request}`;

/** A set of steps, of which most activations have a few. */
export class StepSet {
  /** By the numbers of their activations. */
  readonly #steps: number[][] = [];

  add({ activation, step }: StepPlace): void {
    const number = numberOf(activation);
    const steps = this.#steps[number];
    if (steps === undefined) this.#steps[number] = [step];
    else if (!steps.includes(step)) steps.push(step);
  }

  has({ activation, step }: StepPlace): boolean {
    return this.#steps[numberOf(activation)]?.includes(step) === true;
  }
}

const numberOf = (activation: string): number => Number(activation.slice(1));
