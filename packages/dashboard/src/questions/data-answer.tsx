import type { ComponentProps } from 'react';
import { useId } from 'react';
import form from '../kit/controls/form.module.css';
import { AnswerFrame, useDraft } from './answer-frame.tsx';
import { Conditions } from './destinations.tsx';
import classes from './questions.module.css';
import type { Control, SchemaField, Texts } from './schema-fields.ts';
import { dataOf, fieldsOf, initialTexts, jsonIn, wholeDataOf, wordOf } from './schema-fields.ts';
import type { AskedTask } from './use-tasks.ts';

interface DataAnswerProps {
  readonly task: AskedTask;
  readonly answered: () => void;
}

/** The answer to a question with a schema: a form that is made from it. */
export function DataAnswer({ task, answered }: DataAnswerProps) {
  const { id, status, schema = {}, goesTo = [] } = task;
  const [draft, write] = useDraft(id);
  const fields = fieldsOf(schema);
  // A draft is what people have written, by field.
  const texts = draft === '' ? initialTexts(schema) : ((jsonIn(draft) ?? {}) as Texts);
  const { data, obstacle } = fields === undefined ? wholeDataOf(draft) : dataOf(fields, texts);
  const isClosed = status === 'closed';
  return (
    <AnswerFrame
      task={task}
      answer={{ content: { data }, obstacle, action: 'Answer', done: `Answered ${JSON.stringify(data)}` }}
      draft={draft}
      takesFiles
      answered={() => {
        write('');
        answered();
      }}
    >
      {fields === undefined ? (
        <div className={classes['fields']}>
          <label className={`${form['field']} field`}>
            The answer as JSON
            <textarea
              data-answer
              rows={6}
              value={draft}
              readOnly={isClosed}
              onChange={({ target }) => write(target.value)}
            />
          </label>
        </div>
      ) : (
        <div className={classes['fields']}>
          {fields.map((field, at) => (
            <AnswerField
              key={field.name}
              field={field}
              isFirst={at === 0}
              isClosed={isClosed}
              text={texts[field.name] ?? ''}
              write={(text) => write(JSON.stringify({ ...texts, [field.name]: text }))}
            />
          ))}
        </div>
      )}
      {goesTo.length > 0 && !isClosed && <Conditions exits={goesTo} />}
    </AnswerFrame>
  );
}

interface AnswerFieldProps {
  readonly field: SchemaField;
  readonly isFirst: boolean;
  readonly isClosed: boolean;
  readonly text: string;
  readonly write: (text: string) => void;
}

/** One field with its control. */
function AnswerField(props: AnswerFieldProps) {
  const { field, isFirst, isClosed, text, write } = props;
  const { description, isRequired, control } = field;
  const id = useId();
  if (control.type === 'choice') return <Choice {...props} values={control.values} />;
  const shared = {
    id,
    value: text,
    readOnly: isClosed,
    'aria-required': isRequired,
    'aria-describedby': description === undefined ? undefined : `${id}hint`,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => write(target.value),
    ...(isFirst ? { 'data-answer': true } : {}),
  };
  return (
    <div className={`${form['field']} field`}>
      <label htmlFor={id}>
        <Label field={field} />
      </label>
      {controlElement(control, shared)}
      {description !== undefined && <small id={`${id}hint`}>{description}</small>}
    </div>
  );
}

type SharedProps = ComponentProps<'input'> & ComponentProps<'textarea'>;

function controlElement(control: Exclude<Control, { type: 'choice' }>, shared: SharedProps) {
  switch (control.type) {
    case 'number':
      return <input {...shared} type="number" min={control.min} max={control.max} step={control.isWhole ? 1 : 'any'} />;
    case 'json':
      return <textarea {...shared} rows={4} placeholder='JSON, as in ["one", "two"]' />;
    case 'text':
      return control.isLong ? (
        <textarea {...shared} className={classes['prose']} rows={2} />
      ) : (
        <input {...shared} type={control.input} />
      );
  }
}

const Label = ({ field: { name, isRequired } }: { readonly field: SchemaField }) => (
  <>
    <bdi>{name}</bdi>
    {!isRequired && <span className="muted"> optional</span>}
  </>
);

/** A choice of one among a few values; an optional one can be left out again. */
function Choice({
  field,
  isFirst,
  isClosed,
  text,
  write,
  values,
}: AnswerFieldProps & { readonly values: readonly unknown[] }) {
  const group = useId();
  const words = values.map(wordOf);
  return (
    <fieldset className={classes['choice']} disabled={isClosed}>
      <legend>
        <Label field={field} />
      </legend>
      <div className="row wrap">
        {(field.isRequired ? words : [...words, '']).map((word, at) => (
          <label key={word} className="button">
            <input
              type="radio"
              name={group}
              checked={text === word}
              onChange={() => write(word)}
              {...(isFirst && at === 0 ? { 'data-answer': true } : {})}
            />
            <span dir="auto">{word === '' ? 'not given' : word}</span>
          </label>
        ))}
      </div>
      {field.description !== undefined && <small>{field.description}</small>}
    </fieldset>
  );
}
