import type { ActivationDetail } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';

/** Input and output of an activation, as texts. */
interface Texts {
  readonly input: string;
  readonly output: string;
  readonly error: string;
}

const nothing: Texts = { input: '', output: '', error: '' };

/** Loads the complete texts of an activation; none without an activation. */
export function useTexts(run: string, activation: string | undefined) {
  return useQuery({
    queryKey: ['run', run, 'texts', activation ?? ''],
    queryFn: async (): Promise<Texts> => {
      if (activation === undefined) return nothing;
      const { input, output, error } = await millrace.runs.get(run).activation(activation);
      return {
        input: textOf(input),
        output: textOf(output),
        error: error === undefined ? '' : `${error.code}: ${error.message}`,
      };
    },
  });
}

const textOf = (messages: ActivationDetail['input']): string =>
  messages.length === 1
    ? (messages[0]?.text ?? '')
    : messages.map(({ source, text }) => `${source}: ${text}`).join('\n\n');
