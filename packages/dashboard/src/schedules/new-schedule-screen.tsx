import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { millrace } from '../api/millrace.ts';
import { Screen } from '../kit/layout/screen.tsx';
import type { WantedSchedule } from './schedule-form.tsx';
import { ScheduleForm } from './schedule-form.tsx';

/** Creates a schedule. */
export function NewScheduleScreen() {
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ description, ...wanted }: WantedSchedule) =>
      millrace.schedules.create({ ...wanted, ...(description === '' ? {} : { description }) }),
    onSuccess: ({ id }) => void navigate({ to: '/schedules/$schedule', params: { schedule: id } }),
    meta: { changes: ['schedules'] },
  });
  return (
    <Screen title="New schedule">
      <ScheduleForm isPending={isPending} error={error} save={mutate} />
    </Screen>
  );
}
