import { Segmented } from '../../kit/controls/segmented.tsx';
import { Field } from './field.tsx';
import classes from './start.module.css';
import type { FieldError, StartDraft } from './start-draft.ts';

interface ScheduleFieldsProps {
  readonly draft: StartDraft;
  readonly change: (changed: Partial<StartDraft>) => void;
  readonly errors: Readonly<Record<string, FieldError>>;
}

/** Choice of a run now, or of a schedule that starts such runs. */
export function ScheduleFields({ draft, change, errors }: ScheduleFieldsProps) {
  return (
    <>
      <p>
        <Segmented
          label="When it starts"
          options={{ now: 'Now', schedule: 'On a schedule' }}
          value={draft.when}
          choose={(when) => change({ when })}
        />
      </p>
      {draft.when === 'schedule' && (
        <div className={classes['pair']}>
          <Field
            label="Id of the schedule"
            value={draft.schedule}
            change={(schedule) => change({ schedule })}
            error={errors['id']}
          />
          <Field
            label="Times"
            placeholder="cron, as in 0 7 * * 1-5"
            value={draft.cron}
            change={(cron) => change({ cron })}
            error={errors['cron']}
          />
          <Field
            label="Time zone"
            value={draft.timezone}
            change={(timezone) => change({ timezone })}
            error={errors['timezone']}
          />
        </div>
      )}
    </>
  );
}
