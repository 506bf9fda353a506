import { exactJson, exactText } from '@millrace/core/visible-text';
import { useId } from 'react';
import form from '../kit/controls/form.module.css';
import { ExactJsonDiff } from '../kit/text/exact-json.tsx';
import { AnswerFrame, useDraft } from './answer-frame.tsx';
import type { Approval, DecisionDraft } from './approval.ts';
import { decisionOf } from './approval.ts';
import classes from './questions.module.css';
import { jsonIn } from './schema-fields.ts';
import type { AskedTask } from './use-tasks.ts';

interface ApprovalAnswerProps {
  readonly task: AskedTask;
  readonly answered: () => void;
}

const choices = { approve: 'Approve', edit: 'Approve with changes', reject: 'Reject' } as const;
const actions = { approve: 'Approve', edit: 'Approve the changed call', reject: 'Reject' } as const;
const done = { approve: 'Approved', edit: 'Approved with changes:', reject: 'Rejected' } as const;

/** The decision on a call of a tool: it is made as it is, made with other arguments, or not made. */
export function ApprovalAnswer({ task, answered }: ApprovalAnswerProps) {
  const { id, status, approval } = task;
  const [draft, write] = useDraft(id);
  if (approval === undefined) return null;
  const written = draft === '' ? {} : ((jsonIn(draft) ?? {}) as DecisionDraft);
  const change = (changed: DecisionDraft) => write(JSON.stringify({ ...written, ...changed }));
  const decision = decisionOf(approval, written);
  const { choice } = written;
  const sent = JSON.stringify(decision.edited ?? jsonIn(approval.arguments));
  const isClosed = status === 'closed';
  return (
    <AnswerFrame
      task={task}
      answer={{
        content: { data: decision.type === 'made' ? decision.data : {} },
        obstacle: decision.type === 'open' ? decision.obstacle : undefined,
        action: choice === undefined ? 'Decide' : actions[choice],
        done: choice === undefined ? '' : `${done[choice]} ${exactText(approval.tool)} ${exactText(sent)}`,
      }}
      draft={draft}
      takesFiles={false}
      answered={() => {
        write('');
        answered();
      }}
    >
      <div className={classes['fields']}>
        <Choices choice={choice} isClosed={isClosed} choose={(one) => change({ choice: one })} />
        {choice === 'edit' && (
          <EditedArguments approval={approval} written={written} isClosed={isClosed} change={change} />
        )}
        {(choice === 'edit' || choice === 'reject') && (
          <Reason choice={choice} reason={written.reason ?? ''} isClosed={isClosed} change={change} />
        )}
      </div>
    </AnswerFrame>
  );
}

interface ChoicesProps {
  readonly choice: DecisionDraft['choice'];
  readonly isClosed: boolean;
  readonly choose: (choice: NonNullable<DecisionDraft['choice']>) => void;
}

function Choices({ choice, isClosed, choose }: ChoicesProps) {
  const group = useId();
  return (
    <fieldset className={classes['choice']} disabled={isClosed}>
      <legend>Decision</legend>
      <div className="row wrap">
        {(Object.entries(choices) as [keyof typeof choices, string][]).map(([one, words], at) => (
          <label key={one} className="button">
            <input
              type="radio"
              name={group}
              checked={choice === one}
              onChange={() => choose(one)}
              {...(at === 0 ? { 'data-answer': true } : {})}
            />
            {words}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface EditProps {
  readonly isClosed: boolean;
  readonly change: (changed: DecisionDraft) => void;
}

/** Lines of the largest arguments that are edited without scrolling. */
const mostLines = 16;

/** The arguments that are to be sent instead, and what differs in them. */
function EditedArguments({
  approval,
  written,
  isClosed,
  change,
}: EditProps & { readonly approval: Approval; readonly written: DecisionDraft }) {
  const asked = exactJson(approval.arguments);
  const text = written.edited ?? asked;
  const id = useId();
  return (
    <>
      <div className={`${form['field']} field`}>
        <label htmlFor={id}>Arguments to send</label>
        <textarea
          id={id}
          rows={Math.min(mostLines, text.split('\n').length + 1)}
          spellCheck={false}
          value={text}
          readOnly={isClosed}
          onChange={({ target }) => change({ edited: target.value })}
        />
      </div>
      <section className="stack" aria-label="Changes to the arguments">
        <h3>Changes</h3>
        <ExactJsonDiff before={asked} after={text} />
      </section>
    </>
  );
}

interface ReasonProps extends EditProps {
  readonly choice: 'edit' | 'reject';
  readonly reason: string;
}

function Reason({ choice, reason, isClosed, change }: ReasonProps) {
  const id = useId();
  return (
    <div className={`${form['field']} field`}>
      <label htmlFor={id}>
        Reason <span className="muted">optional</span>
      </label>
      <textarea
        id={id}
        className={classes['prose']}
        rows={2}
        value={reason}
        readOnly={isClosed}
        aria-describedby={`${id}hint`}
        onChange={({ target }) => change({ reason: target.value })}
      />
      <small id={`${id}hint`}>
        {choice === 'reject' ? 'The model is told, and goes on without the call.' : 'It is kept with the decision.'}
      </small>
    </div>
  );
}
