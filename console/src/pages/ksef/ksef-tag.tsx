import { Tag } from '../../controls/tag.js';
import type { KsefConnection, KsefSubmission } from './queries.js';
import { texts } from './texts.js';

const tones = { PENDING: 'open', CONNECTED: 'good', ERROR: 'bad', DISABLED: 'quiet' } as const;

export function KsefTag({ status }: Pick<KsefConnection, 'status'>) {
  return <Tag tone={tones[status]}>{texts.statuses[status]}</Tag>;
}

const submissionTones = {
  QUEUED: 'open',
  SENDING: 'open',
  PROCESSING: 'open',
  ACCEPTED: 'good',
  REJECTED: 'bad',
  FAILED: 'bad',
} as const;

export function SubmissionTag({ status }: Pick<KsefSubmission, 'status'>) {
  return <Tag tone={submissionTones[status]}>{texts.submissionStatuses[status]}</Tag>;
}
