import { Tag } from '../../controls/tag.js';
import type { ErpConnection } from './queries.js';
import { texts } from './texts.js';

const tones = { PENDING: 'open', CONNECTED: 'good', ERROR: 'bad', DISABLED: 'quiet' } as const;

export function ErpTag({ connection: { status, isPaused } }: { readonly connection: ErpConnection }) {
  const word = texts.statuses[status];
  return <Tag tone={isPaused ? 'quiet' : tones[status]}>{isPaused ? `${word}, ${texts.isPaused}` : word}</Tag>;
}
